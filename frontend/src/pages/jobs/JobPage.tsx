import { Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";

import { jobQuery } from "../../api/queries";
import type { Job } from "../../api/types";
import { useTopics } from "../../live/hooks";
import { Asked } from "../../ui/Asked";
import { useFormats } from "../../ui/format";
import { Copy, Facts, Loaded, PageHead, Waiting } from "../../ui/parts";
import { StateChip } from "../../ui/StateChip";
import { isWaiting } from "../../ui/states";
import { Elapsed, When } from "../../ui/When";
import { ApiTab } from "./ApiTab";
import { EventsTab } from "./EventsTab";
import { HeldCards } from "./HeldCards";
import { JobActions } from "./JobActions";
import { TasksTab } from "./TasksTab";
import { Timeline } from "./Timeline";
import { WhyTab } from "./WhyTab";

const LogsTab = lazy(() => import("./LogsTab").then((module) => ({ default: module.LogsTab })));
const DocumentTab = lazy(() => import("./DocumentTab").then((module) => ({ default: module.DocumentTab })));

const route = getRouteApi("/shell/jobs/$id");
const TABS = ["why", "tasks", "logs", "events", "document", "api"] as const;
type Tab = (typeof TABS)[number];

export function JobPage() {
  const { id } = route.useParams();
  const query = useQuery(jobQuery(id));
  useTopics(`job:${id}`);
  return <div className="page job">{<Loaded query={query}>{(job) => <Detail key={job.id} job={job} />}</Loaded>}</div>;
}

function Detail({ job }: { job: Job }) {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const usual: Tab = isWaiting(job.state) ? "why" : "tasks";
  const tab = TABS.find((each) => each === search.tab) ?? usual;
  return (
    <>
      <PageHead
        title={job.name}
        sub={
          <span className="chips">
            <StateChip state={job.state} />
            <Copy text={job.id} label={t("job.copyId")} />
          </span>
        }
      >
        <JobActions job={job} />
      </PageHead>
      <Timeline job={job} />
      <JobFacts job={job} />
      <Tabs
        className="jobtabs"
        value={tab}
        onChange={(value) =>
          void navigate({ search: (old) => ({ ...old, ...(value && { tab: value }) }), replace: true })
        }
        keepMounted={false}
      >
        <Tabs.List aria-label={t("job.tabs")}>
          {TABS.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {t(`job.tab.${each}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab} className="jobpanel" tabIndex={0}>
          <Suspense fallback={<Waiting />}>
            {tab === "why" && <WhyTab job={job} />}
            {tab === "tasks" && <TasksTab job={job} />}
            {tab === "logs" && <LogsTab job={job} task={search.task} />}
            {tab === "events" && <EventsTab job={job} />}
            {tab === "document" && <DocumentTab job={job} />}
            {tab === "api" && <ApiTab job={job} />}
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function JobFacts({ job }: { job: Job }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const holds = Object.keys(job.held).length > 0;
  return (
    <Facts
      items={[
        [
          t("term.queue"),
          <Link key="q" to="/jobs" search={{ queue: job.queue.path }} className="link">
            {job.queue.path}
          </Link>,
        ],
        [t("job.owner"), job.owner.username],
        [t("job.asked"), <Asked key="a" job={job} />],
        [t("job.got"), holds ? <HeldCards key="h" job={job} /> : t("cell.none")],
        [t("job.priority"), formats.integer(job.priority)],
        [t("job.tasks"), formats.integer(job.tasks_total)],
        [t("job.submitted"), <When key="s" at={job.submitted_at} />],
        [
          t("job.ranFor"),
          job.started_at === null ? t("cell.none") : <Elapsed key="r" from={job.started_at} until={job.ended_at} />,
        ],
        ...(job.exit_code === null ? [] : [[t("job.exitCode"), String(job.exit_code)] as const]),
        ...(job.attempt > 1 ? [[t("job.attempt"), String(job.attempt)] as const] : []),
      ]}
    />
  );
}
