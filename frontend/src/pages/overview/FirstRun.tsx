import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconCircleCheck, IconCircleDashed } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { poolsQuery, queuesQuery } from "../../api/queries";
import type { Overview } from "../../api/types";
import { useMay } from "../../app/session";
import { agentCommand, jobCommand, queueCommand } from "../../lib/commands";
import { CodeBlock, Panel } from "../../ui/parts";

/** The way from an empty pool to the first job; gone once it is walked. */
export function FirstRun({ setup }: { setup: Overview["setup"] }) {
  const { t } = useTranslation();
  const may = useMay();
  const pools = useQuery(poolsQuery).data ?? [];
  const leaves = (useQuery(queuesQuery).data ?? []).filter((queue) => queue.is_leaf);
  if (setup.nodes && setup.queues && setup.jobs) return null;
  const { origin } = location;
  return (
    <Panel title={t("first.title")}>
      <ol className="firststeps">
        <Step done={setup.nodes} name={t("first.agent")}>
          {may("enrolment.write") ? (
            <>
              <p className="dim">
                {t("first.agentHelp")}{" "}
                <Link to="/enrolment" className="link">
                  {t("first.makeToken")}
                </Link>
              </p>
              <CodeBlock text={agentCommand(origin)} label={t("action.copyCli")} />
            </>
          ) : (
            <p className="dim">{t("first.askAdmin")}</p>
          )}
        </Step>
        <Step done={setup.queues} name={t("first.queue")}>
          {may("queues.write") ? (
            <CodeBlock text={queueCommand(origin, pools[0]?.name ?? "default")} label={t("action.copyCurl")} />
          ) : (
            <p className="dim">{t("first.askAdmin")}</p>
          )}
        </Step>
        <Step done={setup.jobs} name={t("first.job")}>
          <p className="dim">
            {t("first.jobHelp")}{" "}
            {may("jobs.submit") && (
              <Link to="/jobs/new" className="link">
                {t("jobs.submit")}
              </Link>
            )}
          </p>
          <CodeBlock text={jobCommand(leaves[0]?.path ?? "default")} label={t("action.copyCli")} />
        </Step>
      </ol>
    </Panel>
  );
}

/** A step that is done keeps its name only. */
function Step({ done, name, children }: { done: boolean; name: string; children: ReactNode }) {
  const { t } = useTranslation();
  const Icon = done ? IconCircleCheck : IconCircleDashed;
  return (
    <li data-done={done || undefined}>
      <span className="firststep">
        <Icon size={18} aria-label={t(done ? "first.done" : "first.open")} /> {name}
      </span>
      {!done && children}
    </li>
  );
}
