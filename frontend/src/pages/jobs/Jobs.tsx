import { Button, Tabs } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";

import { jobsQuery, queuesQuery } from "../../api/queries";
import type { Job } from "../../api/types";
import { useScope } from "../../app/Scope";
import { useMay } from "../../app/session";
import { useShortcuts } from "../../app/shortcuts";
import { FilterSelect } from "../../lists/FilterSelect";
import { ListTools } from "../../lists/ListTools";
import { type Change, useList } from "../../lists/useList";
import { DataTable } from "../../ui/DataTable";
import { FilterText } from "../../ui/FilterText";
import { Loaded, PageHead } from "../../ui/parts";
import { BulkCancel } from "./BulkCancel";
import { jobFilters, statesOf, TABS, tabOf } from "./filters";
import { useFrozen } from "./useFrozen";
import { useJobColumns } from "./useJobColumns";

const route = getRouteApi("/shell/jobs");
const NONE: ReadonlySet<string> = new Set();
const keyOf = (job: Job): string => job.id;

export function Jobs() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const scope = useScope();
  const may = useMay();
  const [selected, setSelected] = useState(NONE);
  const [over, setOver] = useState(false);
  const tab = tabOf(search.tab);
  const filters = jobFilters(search, scope);
  const query = useInfiniteQuery(jobsQuery(filters));
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = query;
  const fresh = useMemo(() => query.data?.pages.flatMap((page) => page.results) ?? [], [query.data]);
  const listed = JSON.stringify(filters);
  const { rows, changes, apply } = useFrozen(fresh, keyOf, listed, over || selected.size > 0, query.isPlaceholderData);
  useShortcuts({ ".": apply });
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const list = useList({ page: "jobs", search, filters, columns: useJobColumns() });
  const set = (change: Change): void => {
    setSelected(NONE);
    list.set(change);
  };
  return (
    <div className="page">
      <PageHead title={t("nav.jobs")}>
        {changes > 0 && (
          <Button size="xs" radius="xl" variant="light" onClick={apply} aria-live="polite">
            {t("table.changes", { count: changes })}
          </Button>
        )}
        <BulkCancel
          jobs={rows.filter((job) => selected.has(job.id))}
          onDone={() => {
            setSelected(NONE);
          }}
        />
        {may("jobs.submit") && (
          <Button
            size="xs"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => void navigate({ to: "/jobs/new" })}
          >
            {t("jobs.submit")}
          </Button>
        )}
      </PageHead>
      <Tabs
        value={tab}
        onChange={(value) => {
          set({ tab: value === "all" ? null : value, state: null });
        }}
      >
        <Tabs.List aria-label={t("jobs.tabs")}>
          {TABS.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {t(`jobs.tab.${each}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
      <div className="filters">
        <Filters search={search} set={set} />
        <ListTools list={list} />
      </div>
      <Loaded query={query}>
        {() => (
          <DataTable
            label={t("nav.jobs")}
            columns={list.shown}
            rows={rows}
            rowKey={keyOf}
            rowHeight={list.layout.density === "compact" ? 32 : 46}
            compact={list.layout.density === "compact"}
            onOpen={(job) => void navigate({ to: "/jobs/$id", params: { id: job.id } })}
            ordering={search.ordering}
            onOrdering={(ordering) => {
              set({ ordering });
            }}
            selection={{ keys: selected, set: setSelected }}
            onEnd={more}
            onHover={setOver}
            empty={<Empty filtered={listed !== "{}"} />}
          />
        )}
      </Loaded>
    </div>
  );
}

function Empty({ filtered }: { filtered: boolean }) {
  const { t } = useTranslation();
  const may = useMay();
  return (
    <>
      <p>{t(filtered ? "empty.noJobsMatch" : "empty.noJobs")}</p>
      {may("jobs.submit") && (
        <Link to="/jobs/new" className="link">
          {t("jobs.submit")}
        </Link>
      )}
    </>
  );
}

type FilterProps = { search: ReturnType<typeof route.useSearch>; set: (change: Change) => void };

function Filters({ search, set }: FilterProps) {
  const { t } = useTranslation();
  const queues = useQuery(queuesQuery).data ?? [];
  return (
    <>
      <FilterText
        value={search.search}
        onChange={(value) => {
          set({ search: value });
        }}
        placeholder={t("jobs.searchPlaceholder")}
      />
      <FilterSelect
        label={t("filter.state")}
        data={statesOf(tabOf(search.tab)).map((value) => ({ value, label: t(`state.${value}`) }))}
        value={search.state}
        onChange={(state) => {
          set({ state });
        }}
      />
      <FilterSelect
        label={t("term.queue")}
        width={180}
        searchable
        data={queues.map((queue) => queue.path)}
        value={search.queue}
        onChange={(queue) => {
          set({ queue });
        }}
      />
      {(["owner", "label", "array"] as const).map((key) =>
        search[key] === undefined ? null : (
          <Button
            key={key}
            size="xs"
            variant="light"
            onClick={() => {
              set({ [key]: null });
            }}
          >
            {t(`filter.drop.${key}`, { value: search[key] })}
          </Button>
        ),
      )}
    </>
  );
}
