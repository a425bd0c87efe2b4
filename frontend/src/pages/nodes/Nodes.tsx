import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { type NodeFilters, nodesQuery, presentModelsQuery } from "../../api/queries";
import { useScope } from "../../app/Scope";
import { FilterSelect } from "../../lists/FilterSelect";
import { ListTools } from "../../lists/ListTools";
import { useList } from "../../lists/useList";
import { useTopics } from "../../live/hooks";
import { DataTable } from "../../ui/DataTable";
import { FilterText } from "../../ui/FilterText";
import { Loaded, PageHead } from "../../ui/parts";
import { useNodeColumns } from "./useNodeColumns";

const route = getRouteApi("/shell/nodes");

export function Nodes() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { pool } = useScope();
  useTopics("nodes");
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
  const list = useList({ page: "nodes", search, filters, columns: useNodeColumns() });
  const compact = list.layout.density === "compact";
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
            list.set({ search: value });
          }}
          placeholder={t("nodes.searchPlaceholder")}
        />
        <FilterSelect
          label={t("filter.state")}
          data={["ready", "unreachable"].map((value) => ({ value, label: t(`state.${value}`) }))}
          value={search.state}
          onChange={(state) => {
            list.set({ state });
          }}
        />
        <FilterSelect
          label={t("filter.vendor")}
          data={vendors.map((value) => ({ value, label: t(`vendor.${value}`, { defaultValue: value }) }))}
          value={search.vendor}
          onChange={(vendor) => {
            list.set({ vendor });
          }}
        />
        <ListTools list={list} />
      </div>
      <Loaded query={query}>
        {(nodes) => (
          <DataTable
            label={t("nav.nodes")}
            columns={list.shown}
            rows={nodes}
            rowKey={(node) => node.id}
            rowHeight={compact ? 32 : 46}
            compact={compact}
            onOpen={(node) => void navigate({ to: "/nodes/$id", params: { id: node.id } })}
            ordering={search.ordering}
            onOrdering={(ordering) => {
              list.set({ ordering });
            }}
            empty={t("empty.noNodes")}
          />
        )}
      </Loaded>
    </div>
  );
}
