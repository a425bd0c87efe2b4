import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { api, ifMatch, ok } from "../../api/client";
import { keys } from "../../api/queries";
import type { Node } from "../../api/types";
import { useMay } from "../../app/session";
import { ConfirmButton } from "../../ui/ConfirmButton";

/** Cordon and uncordon; stating that an unreachable node is lost. */
export function NodeActions({ node }: { node: Node }) {
  const { t } = useTranslation();
  const may = useMay();
  const queryClient = useQueryClient();
  if (!may("nodes.write")) return null;
  const cordoned = node.cordoned ?? false;
  const refresh = () => queryClient.invalidateQueries({ queryKey: keys.nodes });
  return (
    <>
      {node.state === "unreachable" && (
        <ConfirmButton
          danger
          action={t("node.declareLost")}
          title={t("node.lostTitle", { name: node.name })}
          body={t("node.lostBody")}
          onConfirm={async () => {
            await ok(api.POST("/api/v1/nodes/{id}/declare-lost/", { params: { path: { id: node.id } } }));
            await refresh();
          }}
        />
      )}
      <ConfirmButton
        action={t(cordoned ? "action.uncordon" : "action.cordon")}
        title={t(cordoned ? "node.uncordonTitle" : "node.cordonTitle", { name: node.name })}
        body={t(cordoned ? "node.uncordonBody" : "node.cordonBody")}
        color={cordoned ? "pine" : "orange"}
        onConfirm={async () => {
          await ok(
            api.PATCH("/api/v1/nodes/{id}/", {
              params: { path: { id: node.id } },
              headers: ifMatch(node.version),
              body: { cordoned: !cordoned },
            }),
          );
          await refresh();
        }}
      />
    </>
  );
}
