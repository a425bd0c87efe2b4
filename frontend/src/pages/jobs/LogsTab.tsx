import { ActionIcon, Button, Select, Switch, TextInput, Tooltip } from "@mantine/core";
import { IconChevronDown, IconChevronUp, IconDownload, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";

import { jobTasksQuery } from "../../api/queries";
import type { Job, Task } from "../../api/types";
import { Loaded } from "../../ui/parts";
import { keep, recall } from "../../lib/keep";
import { LogView } from "./LogView";
import { useTaskLog } from "./useTaskLog";

const route = getRouteApi("/shell/jobs/$id");

export function LogsTab({ job, task }: { job: Job; task: string | undefined }) {
  const { t } = useTranslation();
  const query = useQuery(jobTasksQuery(job.id));
  return (
    <Loaded query={query}>
      {(tasks) => {
        const chosen = tasks.find((each) => each.id === task) ?? tasks[0];
        if (chosen === undefined) return <p className="dim">{t("job.noTasks")}</p>;
        return <TaskLog key={`${chosen.id} ${String(chosen.attempt)}`} tasks={tasks} task={chosen} />;
      }}
    </Loaded>
  );
}

function TaskLog({ tasks, task }: { tasks: readonly Task[]; task: Task }) {
  const { t } = useTranslation();
  const navigate = route.useNavigate();
  const log = useTaskLog(task.id);
  const [follow, setFollow] = useState(true);
  const [wrap, setWrap] = useState(recall("log.wrap") === "yes");
  const [words, setWords] = useState("");
  const [hit, setHit] = useState(0);
  // The version says that the buffer, which is one and the same object, has changed.
  const hits = useMemo(() => (log.version >= 0 ? log.buffer.find(words) : []), [log.buffer, log.version, words]);
  const jump = (by: number): void => {
    if (hits.length === 0) return;
    setFollow(false);
    setHit((hit + by + hits.length) % hits.length);
  };
  return (
    <div className="logs">
      <div className="filters">
        <Select
          aria-label={t("term.task")}
          size="xs"
          w={210}
          searchable
          allowDeselect={false}
          data={tasks.map((each) => ({
            value: each.id,
            label: `${each.group}/${String(each.index)} · ${t(`state.${each.state}`)}`,
          }))}
          value={task.id}
          onChange={(value) =>
            void navigate({ search: (old) => ({ ...old, tab: "logs", ...(value && { task: value }) }), replace: true })
          }
        />
        <TextInput
          data-filter-focus
          size="xs"
          type="search"
          aria-label={t("log.search")}
          placeholder={t("log.search")}
          leftSection={<IconSearch size={14} aria-hidden />}
          value={words}
          onChange={(event) => {
            setWords(event.currentTarget.value);
            setHit(0);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter") jump(event.shiftKey ? -1 : 1);
          }}
        />
        {words !== "" && (
          <>
            <span className="num small dim" role="status">
              {t("log.hits", { index: hits.length === 0 ? 0 : Math.min(hit, hits.length - 1) + 1, count: hits.length })}
            </span>
            <ActionIcon
              variant="default"
              size="sm"
              aria-label={t("log.previous")}
              onClick={() => {
                jump(-1);
              }}
            >
              <IconChevronUp size={14} aria-hidden />
            </ActionIcon>
            <ActionIcon
              variant="default"
              size="sm"
              aria-label={t("log.next")}
              onClick={() => {
                jump(1);
              }}
            >
              <IconChevronDown size={14} aria-hidden />
            </ActionIcon>
          </>
        )}
        <Switch
          size="xs"
          label={t("log.follow")}
          checked={follow}
          onChange={(event) => {
            setFollow(event.currentTarget.checked);
          }}
        />
        <Switch
          size="xs"
          label={t("log.wrap")}
          checked={wrap}
          onChange={(event) => {
            keep("log.wrap", event.currentTarget.checked ? "yes" : "no");
            setWrap(event.currentTarget.checked);
          }}
        />
        <Tooltip label={t("log.download")}>
          <Button
            component="a"
            href={`/api/v1/tasks/${task.id}/log/?format=text`}
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} aria-hidden />}
          >
            {t("log.downloadShort")}
          </Button>
        </Tooltip>
      </div>
      <LogView
        buffer={log.buffer}
        version={log.version}
        follow={follow}
        onLeaveEnd={() => {
          setFollow(false);
        }}
        wrap={wrap}
        words={words}
        target={words === "" ? undefined : hits[Math.min(hit, hits.length - 1)]}
      />
      <p className="dim small logfoot" role="status">
        {log.error !== null ? t("log.waitingForNode") : log.complete ? t("log.complete") : t("log.following")}
        {log.buffer.dropped > 0 && ` ${t("log.dropped", { count: log.buffer.dropped })}`}
      </p>
    </div>
  );
}
