import { Drawer } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";

import { devicesQuery, presentModelsQuery } from "../../api/queries";
import { useScope } from "../../app/Scope";
import { FilterSelect } from "../../lists/FilterSelect";
import { ListTools } from "../../lists/ListTools";
import { type Change, useList } from "../../lists/useList";
import { useLive, useTopics } from "../../live/hooks";
import { DataTable } from "../../ui/DataTable";
import { FilterText } from "../../ui/FilterText";
import { Loaded, PageHead } from "../../ui/parts";
import { DeviceDetail } from "./DeviceDetail";
import { byLoad, grouping, GROUPINGS, LOADS, serverFilters, withLoad } from "./model";
import { useDeviceColumns } from "./useDeviceColumns";

const route = getRouteApi("/shell/devices");

export function Devices() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const { pool } = useScope();
  const live = useLive();
  useTopics("devices");
  const filters = serverFilters(search, pool);
  const query = useQuery(devicesQuery(filters));
  const list = useList({
    page: "devices",
    search,
    filters: withLoad(filters, search.load),
    columns: useDeviceColumns(),
  });
  const { data } = query;
  const rows = useMemo(
    () =>
      byLoad(data ?? [], search.load, (device) => live.devices.get(device.id)?.util ?? device.live?.util_pct ?? null),
    [data, search.load, live],
  );
  const compact = list.layout.density === "compact";
  return (
    <div className="page">
      <PageHead
        title={t("nav.devices")}
        sub={<span className="dim num">{t("devices.count", { count: rows.length })}</span>}
      />
      <div className="filters">
        <Filters search={search} set={list.set} />
        <ListTools list={list} />
      </div>
      <Loaded query={query}>
        {() => (
          <DataTable
            label={t("nav.devices")}
            columns={list.shown}
            rows={rows}
            rowKey={(device) => device.id}
            rowHeight={compact ? 34 : 52}
            compact={compact}
            onOpen={(device) => {
              list.set({ open: device.id });
            }}
            openKey={search.open}
            group={grouping(search.group)}
            ordering={search.ordering}
            onOrdering={(ordering) => {
              list.set({ ordering });
            }}
            empty={t("empty.noDevicesMatch")}
          />
        )}
      </Loaded>
      <Drawer
        opened={search.open !== undefined}
        onClose={() => {
          list.set({ open: null, part: null });
        }}
        position="right"
        size="lg"
        title={t("term.device")}
        closeButtonProps={{ "aria-label": t("action.close") }}
      >
        {search.open !== undefined && (
          <DeviceDetail
            id={search.open}
            part={search.part}
            onPart={(part) => {
              list.set({ part });
            }}
            linkToPage
          />
        )}
      </Drawer>
    </div>
  );
}

type FilterProps = { search: ReturnType<typeof route.useSearch>; set: (change: Change) => void };

function Filters({ search, set }: FilterProps) {
  const { t } = useTranslation();
  const models = useQuery(presentModelsQuery).data ?? [];
  const vendors = [...new Set(models.map((model) => model.vendor))].sort();
  const options = (values: readonly string[], prefix: string) =>
    values.map((value) => ({ value, label: t(`${prefix}.${value}`, { defaultValue: value }) }));
  const select = (
    key: "vendor" | "model" | "mode" | "health" | "load" | "group",
    data: { value: string; label: string }[],
  ) => (
    <FilterSelect
      label={t(`filter.${key}`)}
      width={116}
      data={data}
      value={search[key]}
      onChange={(value) => {
        set({ [key]: value });
      }}
    />
  );
  return (
    <>
      <FilterText
        value={search.search}
        onChange={(value) => {
          set({ search: value });
        }}
        placeholder={t("devices.searchPlaceholder")}
      />
      {select("vendor", options(vendors, "vendor"))}
      {select(
        "model",
        models
          .filter((model) => search.vendor === undefined || model.vendor === search.vendor)
          .map((model) => ({ value: model.name, label: model.name })),
      )}
      {select("mode", options(["empty", "shared", "exclusive"], "state"))}
      {select("health", options(["healthy", "unhealthy", "unknown"], "state"))}
      {select("load", options(LOADS, "load"))}
      {select("group", options(GROUPINGS, "groupBy"))}
    </>
  );
}
