import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";

import { type NodeFilters, nodesQuery, presentModelsQuery } from "../../api/queries";
import type { Node } from "../../api/types";
import { useScope } from "../../app/Scope";
import { changed } from "../../app/search";
import { useNodeReading, useTopics } from "../../live/hooks";
import { type Column, DataTable } from "../../ui/DataTable";
import { FilterText } from "../../ui/FilterText";
import { useFormats } from "../../ui/format";
import { Meter } from "../../ui/Meter";
import { Loaded, PageHead } from "../../ui/parts";
import { Spark } from "../../ui/Spark";
import { StateChip } from "../../ui/StateChip";
import { When } from "../../ui/When";

const route = getRouteApi("/shell/nodes");

export function Nodes() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { pool } = useScope();
  useTopics("nodes");
  const set = (change: Partial<Record<keyof typeof search, string | null>>): void => {
    void navigate({ search: (old) => changed<Record<string, unknown>>(old, change), replace: true });
  };
  const filters: NodeFilters = {
    ...(pool && { pool }),
    ...(search.vendor && { vendor: search.vendor }),
    ...(search.search && { search: search.search }),
    ...(search.state === "ready" || search.state === "unreachable" ? { state: [search.state] } : {}),
    ...(search.cordoned === "true" ? { cordoned: true } : {}),
    ...(search.ordering && { ordering: [search.ordering] as NonNullable<NodeFilters["ordering"]> }),
  };
  const query = useQuery(nodesQuery(filters));
  const models = useQuery(presentModelsQuery).data ?? [];
  const vendors = [...new Set(models.map((model) => model.vendor))].sort();
  const columns = useColumns();
  return (
    <div className="page">
      <PageHead
        title={t("nav.nodes")}
        sub={<span className="dim num">{t("nodes.count", { count: query.data?.length ?? 0 })}</span>}
      />
      <div className="filters">
        <FilterText
          value={search.search}
          onChange={(value) => {
            set({ search: value });
          }}
          placeholder={t("nodes.searchPlaceholder")}
        />
        <Select
          aria-label={t("filter.state")}
          placeholder={t("filter.state")}
          size="xs"
          w={132}
          clearable
          data={["ready", "unreachable"].map((value) => ({ value, label: t(`state.${value}`) }))}
          value={search.state ?? null}
          onChange={(state) => {
            set({ state });
          }}
        />
        <Select
          aria-label={t("filter.vendor")}
          placeholder={t("filter.vendor")}
          size="xs"
          w={132}
          clearable
          data={vendors.map((value) => ({ value, label: t(`vendor.${value}`, { defaultValue: value }) }))}
          value={search.vendor ?? null}
          onChange={(vendor) => {
            set({ vendor });
          }}
        />
      </div>
      <Loaded query={query}>
        {(nodes) => (
          <DataTable
            label={t("nav.nodes")}
            columns={columns}
            rows={nodes}
            rowKey={(node) => node.id}
            rowHeight={46}
            onOpen={(node) => void navigate({ to: "/nodes/$id", params: { id: node.id } })}
            ordering={search.ordering}
            onOrdering={(ordering) => {
              set({ ordering });
            }}
            empty={t("empty.noNodes")}
          />
        )}
      </Loaded>
    </div>
  );
}

function useColumns(): Column<Node>[] {
  const { t } = useTranslation();
  const formats = useFormats();
  return useMemo(
    () => [
      {
        key: "name",
        header: t("term.node"),
        track: "minmax(140px, 1.2fr)",
        sort: "name",
        cell: (node) => (
          <span className="two">
            <Link to="/nodes/$id" params={{ id: node.id }} className="link" preload={false}>
              {node.name}
            </Link>
            <span className="dim small">{node.cluster.name}</span>
          </span>
        ),
      },
      {
        key: "state",
        header: t("job.state"),
        track: "minmax(116px, 0.8fr)",
        sort: "state",
        cell: (node) => <StateChip state={node.state === "ready" && node.cordoned ? "cordoned" : node.state} />,
      },
      { key: "pool", header: t("term.pool"), track: "minmax(90px, 0.7fr)", from: 760, cell: (node) => node.pool.name },
      {
        key: "devices",
        header: t("nav.devices"),
        track: "72px",
        from: 560,
        align: "end",
        cell: (node) => <span className="num">{formats.integer(node.devices_count)}</span>,
      },
      {
        key: "load",
        header: t("usage.load"),
        track: "minmax(120px, 1.4fr)",
        from: 480,
        cell: (node) => <NodeMeter node={node} />,
      },
      { key: "util", header: t("device.util"), track: "124px", align: "end", cell: (node) => <NodeUtil node={node} /> },
      {
        key: "allocated",
        header: t("device.allocated"),
        track: "96px",
        from: 700,
        align: "end",
        cell: (node) => <span className="num">{formats.percent(node.allocated.cores_pct)}</span>,
      },
      {
        key: "cpu",
        header: t("node.cpu"),
        track: "84px",
        from: 980,
        align: "end",
        cell: (node) => <span className="num">{formats.integer(node.cpu_millis / 1000)}</span>,
      },
      {
        key: "memory",
        header: t("node.memory"),
        track: "104px",
        from: 980,
        align: "end",
        cell: (node) => (
          <span className="num">
            {formats.gib(node.memory_mib)} <small>{t("unit.gib")}</small>
          </span>
        ),
      },
      {
        key: "seen",
        header: t("node.lastSeen"),
        track: "120px",
        from: 860,
        align: "end",
        sort: "last_seen_at",
        cell: (node) => <When at={node.last_seen_at} className="num dim" />,
      },
    ],
    [t, formats],
  );
}

function NodeMeter({ node }: { node: Node }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const reading = useNodeReading(node.id);
  const util = reading?.util ?? node.live?.util_pct ?? null;
  return (
    <Meter
      value={util}
      second={node.allocated.cores_pct}
      label={t("usage.meter", {
        util: util === null ? t("cell.none") : formats.percent(util),
        allocated: formats.percent(node.allocated.cores_pct),
      })}
    />
  );
}

function NodeUtil({ node }: { node: Node }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const reading = useNodeReading(node.id);
  const util = reading?.util ?? node.live?.util_pct ?? null;
  return (
    <span className="utilcell num">
      <Spark values={reading?.history ?? []} most={100} />
      <span>{util === null ? t("cell.none") : formats.percent(util)}</span>
    </span>
  );
}
