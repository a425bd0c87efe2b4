import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";

import type { Job } from "../../api/types";
import { sentence } from "../../i18n/reasons";
import { Asked } from "../../ui/Asked";
import type { Column } from "../../ui/DataTable";
import { useFormats } from "../../ui/format";
import { Pairs } from "../../ui/Pairs";
import { StateChip } from "../../ui/StateChip";
import { isWaiting } from "../../ui/states";
import { Elapsed, When } from "../../ui/When";
import { HeldCards } from "./HeldCards";

export function useJobColumns(): Column<Job>[] {
  const { t, i18n } = useTranslation();
  const formats = useFormats();
  const language = i18n.language;
  return useMemo(
    () => [
      { key: "state", header: t("job.state"), track: "108px", cell: (job) => <StateChip state={job.state} /> },
      {
        key: "name",
        fixed: true,
        header: t("term.job"),
        track: "minmax(130px, 1.6fr)",
        sort: "name",
        cell: (job) => (
          <span className="two">
            <Link to="/jobs/$id" params={{ id: job.id }} className="link" preload={false}>
              {job.name}
            </Link>
            {isWaiting(job.state) && job.reason !== null ? (
              <span className="dim small clip" title={sentence(job.reason, language)}>
                {sentence(job.reason, language)}
              </span>
            ) : (
              <span className="dim small clip">{job.queue.path}</span>
            )}
          </span>
        ),
      },
      {
        key: "queue",
        header: t("term.queue"),
        track: "minmax(110px, 0.9fr)",
        from: 900,
        cell: (job) => (
          <Link to="/jobs" search={{ queue: job.queue.path }} className="link quiet" preload={false}>
            {job.queue.path}
          </Link>
        ),
      },
      {
        key: "ask",
        header: t("job.asked"),
        track: "minmax(132px, 1fr)",
        from: 620,
        cell: (job) => <Asked job={job} />,
      },
      {
        key: "got",
        header: t("job.got"),
        track: "minmax(132px, 0.9fr)",
        from: 720,
        align: "end",
        cell: (job) => <Got job={job} />,
      },
      {
        key: "age",
        header: t("job.waitOrAge"),
        from: 480,
        track: "116px",
        align: "end",
        sort: "submitted_at",
        cell: (job) => <Age job={job} />,
      },
      {
        key: "owner",
        header: t("job.owner"),
        track: "96px",
        from: 1020,
        cell: (job) => (
          <Link to="/jobs" search={{ owner: job.owner.username }} className="link quiet" preload={false}>
            {job.owner.username}
          </Link>
        ),
      },
      {
        key: "priority",
        header: t("job.priority"),
        track: "72px",
        from: 1020,
        align: "end",
        sort: "priority",
        cell: (job) => <span className="num">{formats.integer(job.priority)}</span>,
      },
      { key: "pool", header: t("term.pool"), track: "minmax(80px, 0.6fr)", extra: true, cell: (job) => job.pool },
      {
        key: "tasks",
        header: t("job.tasks"),
        track: "64px",
        extra: true,
        align: "end",
        cell: (job) => <span className="num">{formats.integer(job.tasks_total)}</span>,
      },
      {
        key: "attempt",
        header: t("job.attempt"),
        track: "72px",
        extra: true,
        align: "end",
        cell: (job) => <span className="num">{formats.integer(job.attempt)}</span>,
      },
      {
        key: "exit",
        header: t("job.exitCode"),
        track: "84px",
        extra: true,
        align: "end",
        cell: (job) => <span className="num">{job.exit_code ?? t("cell.none")}</span>,
      },
      {
        key: "labels",
        header: t("submit.labels"),
        track: "minmax(120px, 1fr)",
        extra: true,
        cell: (job) => <Pairs values={job.labels} />,
      },
      {
        key: "submitted",
        header: t("job.submitted"),
        track: "116px",
        extra: true,
        align: "end",
        cell: (job) => <When at={job.submitted_at} className="num dim" />,
      },
      {
        key: "id",
        header: t("list.id"),
        track: "minmax(280px, 0.6fr)",
        extra: true,
        cell: (job) => <span className="mono">{job.id}</span>,
      },
    ],
    [t, formats, language],
  );
}

/** Cards held now; a position while it waits for them. */
function Got({ job }: { job: Job }) {
  const { t } = useTranslation();
  const formats = useFormats();
  if (Object.keys(job.held).length > 0) return <HeldCards job={job} />;
  if (job.position !== null)
    return <span className="num dim">{t("job.position", { position: formats.integer(job.position) })}</span>;
  return <span className="dim">{t("cell.none")}</span>;
}

/** While waiting: since when. Then: how long it ran, or runs. */
function Age({ job }: { job: Job }) {
  const { t } = useTranslation();
  if (isWaiting(job.state))
    return (
      <span title={t("job.waits")}>
        <Elapsed from={job.submitted_at} until={null} />
      </span>
    );
  return (
    <span title={t("job.ran")}>
      <Elapsed from={job.started_at ?? job.submitted_at} until={job.ended_at} />
    </span>
  );
}
