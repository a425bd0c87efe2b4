import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { api, ifMatch, ok } from "../../api/client";
import { keys } from "../../api/queries";
import type { Queue } from "../../api/types";
import { useMay } from "../../app/session";
import { useFormats } from "../../ui/format";
import { ConfirmButton } from "../../ui/ConfirmButton";
import { Facts, PageHead, Panel } from "../../ui/parts";
import { StateChip } from "../../ui/StateChip";
import { BulletBar } from "./BulletBar";
import { QuotaForm } from "./QuotaForm";
import { usePresentClasses } from "./usePresentClasses";
import { classesOf, quotaOf } from "./tree";

export function QueueDetail({ queue }: { queue: Queue }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const may = useMay();
  const [editing, setEditing] = useState(false);
  return (
    <div className="stack">
      <PageHead title={queue.path} sub={<StateChip state={queue.state ?? "open"} />}>
        {may("queues.write") && <OpenClose queue={queue} />}
      </PageHead>
      <Facts
        items={[
          [t("term.pool"), queue.pool.name],
          [t("term.tenant"), queue.tenant?.name ?? t("cell.none")],
          [t("job.priority"), formats.integer(queue.priority ?? 0)],
          [
            t("queue.waiting"),
            <Link key="w" to="/jobs" search={{ tab: "waiting", queue: queue.path }} className="link num">
              {formats.integer(queue.pending_jobs)}
            </Link>,
          ],
          [
            t("queue.running"),
            <Link key="r" to="/jobs" search={{ tab: "running", queue: queue.path }} className="link num">
              {formats.integer(queue.running_jobs)}
            </Link>,
          ],
          [t("queue.takesJobs"), t(queue.is_leaf ? "cell.yes" : "cell.no")],
        ]}
      />
      <Panel
        title={t("queue.quotas")}
        aside={
          may("queues.write") && !editing ? (
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => {
                setEditing(true);
              }}
            >
              {t("queue.edit")}
            </Button>
          ) : null
        }
      >
        {editing ? (
          <QuotaForm
            queue={queue}
            onClose={() => {
              setEditing(false);
            }}
          />
        ) : (
          <QuotaTable queue={queue} />
        )}
      </Panel>
    </div>
  );
}

function QuotaTable({ queue }: { queue: Queue }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const classes = classesOf([queue], usePresentClasses());
  if (classes.length === 0) return <p className="dim">{t("queue.noQuotas")}</p>;
  return (
    <table className="plain">
      <thead>
        <tr>
          <th>{t("term.deviceClass")}</th>
          <th className="wide">{t("queue.usage")}</th>
          <th data-align="end">{t("queue.held")}</th>
          <th data-align="end">{t("queue.guaranteed")}</th>
          <th data-align="end">{t("queue.limit")}</th>
          <th data-align="end">{t("queue.weight")}</th>
        </tr>
      </thead>
      <tbody>
        {classes.map((name) => {
          const quota = quotaOf(queue, name);
          const held = queue.held[name] ?? 0;
          const limit = quota?.limit ?? null;
          return (
            <tr key={name}>
              <td>{name === "any" ? t("queue.anyClass") : name}</td>
              <td>
                <BulletBar held={held} guaranteed={quota?.guaranteed ?? 0} limit={limit} scale={1} />
              </td>
              <td data-align="end" className="num">
                {formats.cards(held)}
              </td>
              <td data-align="end" className="num">
                {formats.cards(quota?.guaranteed ?? 0)}
              </td>
              <td data-align="end" className="num">
                {limit === null ? t("queue.noLimit") : formats.cards(limit)}
              </td>
              <td data-align="end" className="num">
                {quota === undefined ? t("cell.none") : formats.integer(quota.weight ?? 0)}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function OpenClose({ queue }: { queue: Queue }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const isOpen = queue.state !== "closed";
  return (
    <ConfirmButton
      action={t(isOpen ? "queue.close" : "queue.reopen")}
      title={t(isOpen ? "queue.closeTitle" : "queue.reopenTitle", { name: queue.path })}
      body={t(isOpen ? "queue.closeBody" : "queue.reopenBody")}
      color={isOpen ? "orange" : "pine"}
      onConfirm={async () => {
        await ok(
          api.PATCH("/api/v1/queues/{id}/", {
            params: { path: { id: queue.id } },
            headers: ifMatch(queue.version),
            body: { state: isOpen ? "closed" : "open" },
          }),
        );
        await queryClient.invalidateQueries({ queryKey: keys.queues });
      }}
    />
  );
}
