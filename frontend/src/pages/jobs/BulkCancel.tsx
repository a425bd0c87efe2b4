import { Button } from "@mantine/core";
import { IconBan } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { api, ok } from "../../api/client";
import { isProblem } from "../../api/problem";
import { keys } from "../../api/queries";
import type { Job } from "../../api/types";
import { Confirm } from "../../ui/Confirm";
import { cancellable } from "./filters";

const AT_ONCE = 6;
const NAMED = 8;

/** Cancels in small lots. A job that ended meanwhile is what was wanted. */
export async function cancelAll(ids: readonly string[], cancel: (id: string) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < ids.length; start += AT_ONCE)
    await Promise.all(
      ids.slice(start, start + AT_ONCE).map(async (id) => {
        try {
          await cancel(id);
        } catch (error) {
          if (!isProblem(error, 409)) throw error;
        }
      }),
    );
}

export function BulkCancel({ jobs, onDone }: { jobs: readonly Job[]; onDone: () => void }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const chosen = cancellable(jobs);
  if (jobs.length === 0) return null;
  return (
    <>
      <Button
        size="xs"
        color="red"
        variant="light"
        disabled={chosen.length === 0}
        leftSection={<IconBan size={14} aria-hidden />}
        onClick={() => {
          setAsking(true);
        }}
      >
        {t("jobs.cancelSelected", { count: chosen.length })}
      </Button>
      {asking && (
        <Confirm
          title={t("jobs.cancelTitle", { count: chosen.length })}
          body={
            <>
              <p>{t("jobs.cancelBody")}</p>
              <ul>
                {chosen.slice(0, NAMED).map((job) => (
                  <li key={job.id}>{job.name}</li>
                ))}
                {chosen.length > NAMED && <li>{t("jobs.andMore", { count: chosen.length - NAMED })}</li>}
              </ul>
            </>
          }
          action={t("jobs.cancelSelected", { count: chosen.length })}
          onClose={() => {
            setAsking(false);
          }}
          onConfirm={async () => {
            await cancelAll(
              chosen.map((job) => job.id),
              (id) => ok(api.POST("/api/v1/jobs/{id}/cancel/", { params: { path: { id } } })),
            );
            onDone();
            await queryClient.invalidateQueries({ queryKey: keys.jobs });
          }}
        />
      )}
    </>
  );
}
