import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { api, ifMatch, ok } from "../../api/client";
import { keys } from "../../api/queries";
import type { Node } from "../../api/types";
import { useMay } from "../../app/session";
import { Confirm } from "../../ui/Confirm";

/** Cordon and uncordon; stating that an unreachable node is lost. */
export function NodeActions({ node }: { node: Node }) {
  const { t } = useTranslation();
  const may = useMay();
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState<"cordon" | "lost" | null>(null);
  if (!may("nodes.write")) return null;
  const cordoned = node.cordoned ?? false;
  const refresh = () => queryClient.invalidateQueries({ queryKey: keys.nodes });
  const cordon = async (): Promise<void> => {
    await ok(
      api.PATCH("/api/v1/nodes/{id}/", {
        params: { path: { id: node.id } },
        headers: ifMatch(node.version),
        body: { cordoned: !cordoned },
      }),
    );
    await refresh();
  };
  const declareLost = async (): Promise<void> => {
    await ok(api.POST("/api/v1/nodes/{id}/declare-lost/", { params: { path: { id: node.id } } }));
    await refresh();
  };
  const close = (): void => {
    setAsking(null);
  };
  return (
    <>
      {node.state === "unreachable" && (
        <Button
          size="xs"
          color="red"
          variant="light"
          onClick={() => {
            setAsking("lost");
          }}
        >
          {t("node.declareLost")}
        </Button>
      )}
      <Button
        size="xs"
        variant="default"
        onClick={() => {
          setAsking("cordon");
        }}
      >
        {t(cordoned ? "action.uncordon" : "action.cordon")}
      </Button>
      {asking === "cordon" && (
        <Confirm
          title={t(cordoned ? "node.uncordonTitle" : "node.cordonTitle", { name: node.name })}
          body={t(cordoned ? "node.uncordonBody" : "node.cordonBody")}
          action={t(cordoned ? "action.uncordon" : "action.cordon")}
          color={cordoned ? "pine" : "orange"}
          onClose={close}
          onConfirm={cordon}
        />
      )}
      {asking === "lost" && (
        <Confirm
          title={t("node.lostTitle", { name: node.name })}
          body={t("node.lostBody")}
          action={t("node.declareLost")}
          onClose={close}
          onConfirm={declareLost}
        />
      )}
    </>
  );
}
