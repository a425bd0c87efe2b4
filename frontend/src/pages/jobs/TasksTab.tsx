import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";

import { jobTasksQuery } from "../../api/queries";
import type { Job, Task } from "../../api/types";
import { type Column, DataTable } from "../../ui/DataTable";
import { useFormats } from "../../ui/format";
import { Loaded } from "../../ui/parts";
import { StateChip } from "../../ui/StateChip";
import { Elapsed } from "../../ui/When";

const ROW = 46;
/** A task that holds many slices gets a taller row rather than cut text. */
const SLICE_LINE = 20;
const MOST_LINES = 8;

export function TasksTab({ job }: { job: Job }) {
  const { t } = useTranslation();
  const query = useQuery(jobTasksQuery(job.id));
  const columns = useColumns(job);
  const lines = Math.min(MOST_LINES, Math.max(1, ...(query.data ?? []).map((task) => task.slices.length)));
  return (
    <Loaded query={query}>
      {(tasks) => (
        <DataTable
          label={t("job.tab.tasks")}
          columns={columns}
          rows={tasks}
          rowKey={(task) => task.id}
          rowHeight={Math.max(ROW, lines * SLICE_LINE + 10)}
          empty={t("job.noTasks")}
        />
      )}
    </Loaded>
  );
}

function useColumns(job: Job): Column<Task>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      {
        key: "task",
        header: t("term.task"),
        track: "minmax(96px, 0.8fr)",
        cell: (task) => (
          <span className="two">
            <Link
              to="/jobs/$id"
              params={{ id: job.id }}
              search={{ tab: "logs", task: task.id }}
              className="link"
              preload={false}
            >
              {task.group}/{task.index}
            </Link>
            <span className="dim small num">{t("job.rank", { rank: task.rank })}</span>
          </span>
        ),
      },
      { key: "state", header: t("job.state"), track: "112px", cell: (task) => <StateChip state={task.state} /> },
      {
        key: "node",
        header: t("term.node"),
        track: "minmax(100px, 0.9fr)",
        from: 480,
        cell: (task) =>
          task.node === null ? (
            <span className="dim">{t("cell.none")}</span>
          ) : (
            <Link to="/nodes/$id" params={{ id: task.node.id }} className="link" preload={false}>
              {task.node.name}
            </Link>
          ),
      },
      {
        key: "slices",
        header: t("job.slices"),
        track: "minmax(170px, 2fr)",
        from: 600,
        cell: (task) => <TaskSlices task={task} />,
      },
      {
        key: "ran",
        header: t("job.ranFor"),
        track: "96px",
        align: "end",
        from: 720,
        cell: (task) =>
          task.started_at === null ? (
            <span className="dim">{t("cell.none")}</span>
          ) : (
            <Elapsed from={task.started_at} until={task.ended_at} />
          ),
      },
      {
        key: "exit",
        header: t("job.exit"),
        track: "minmax(96px, 0.9fr)",
        cell: (task) => (
          <span className="two">
            <span className="num">
              {task.exit_code !== null
                ? t("job.exitedWith", { code: task.exit_code })
                : task.signal !== null
                  ? t("job.signalled", { signal: task.signal })
                  : t("cell.none")}
            </span>
            {task.message !== "" && (
              <span className="dim small clip" title={task.message}>
                {task.message}
              </span>
            )}
          </span>
        ),
      },
    ],
    [t, job.id],
  );
}

function TaskSlices({ task }: { task: Task }) {
  const { t } = useTranslation();
  const formats = useFormats();
  if (task.slices.length === 0) return <span className="dim">{t("cell.none")}</span>;
  return (
    <span className="slicelines">
      {task.slices.slice(0, MOST_LINES).map((slice) => (
        <span key={slice.device} className="num">
          <Link to="/devices/$id" params={{ id: slice.device }} className="link" preload={false}>
            {slice.model} {t("device.indexNumber", { index: slice.index })}
          </Link>{" "}
          <span className="dim">
            {slice.exclusive
              ? t("slice.whole")
              : `${slice.cores === 0 ? t("slice.bestEffort") : formats.percent(slice.cores)} · ${formats.gib(slice.memory_mib)} GiB`}
          </span>
        </span>
      ))}
      {task.slices.length > MOST_LINES && (
        <span className="dim">{t("jobs.andMore", { count: task.slices.length - MOST_LINES })}</span>
      )}
    </span>
  );
}
