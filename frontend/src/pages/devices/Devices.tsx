import { Drawer, Select } from "@mantine/core";

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";

import { devicesQuery, presentModelsQuery } from "../../api/queries";
import type { Device } from "../../api/types";
import { useScope } from "../../app/Scope";
import { changed } from "../../app/search";
import { useLive, useTopics } from "../../live/hooks";
import { type Column, DataTable } from "../../ui/DataTable";
import { FilterText } from "../../ui/FilterText";
import { useFormats } from "../../ui/format";
import { Loaded, PageHead } from "../../ui/parts";
import { SliceBar } from "../../ui/SliceBar";
import { StateChip } from "../../ui/StateChip";
import { MemoryUsedCell, PowerCell, TemperatureCell, UtilCell } from "./cells";
import { DeviceDetail } from "./DeviceDetail";
import { byLoad, grouping, GROUPINGS, LOADS, serverFilters } from "./model";

const route = getRouteApi("/shell/devices");

export function Devices() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { pool } = useScope();
  const live = useLive();
  useTopics("devices");
  const query = useQuery(devicesQuery(serverFilters(search, pool)));
  const set = (change: Partial<Record<keyof typeof search, string | null>>): void => {
    void navigate({ search: (old) => changed<Record<string, unknown>>(old, change), replace: true });
  };
  const columns = useColumns();
  const { data } = query;
  const rows = useMemo(
    () =>
      byLoad(data ?? [], search.load, (device) => live.devices.get(device.id)?.util ?? device.live?.util_pct ?? null),
    [data, search.load, live],
  );
  return (
    <div className="page">
      <PageHead
        title={t("nav.devices")}
        sub={<span className="dim num">{t("devices.count", { count: rows.length })}</span>}
      />
      <Filters search={search} set={set} />
      <Loaded query={query}>
        {() => (
          <DataTable
            label={t("nav.devices")}
            columns={columns}
            rows={rows}
            rowKey={(device) => device.id}
            rowHeight={52}
            onOpen={(device) => {
              set({ open: device.id });
            }}
            openKey={search.open}
            group={grouping(search.group)}
            ordering={search.ordering}
            onOrdering={(ordering) => {
              set({ ordering });
            }}
            empty={t("empty.noDevicesMatch")}
          />
        )}
      </Loaded>
      <Drawer
        opened={search.open !== undefined}
        onClose={() => {
          set({ open: null });
        }}
        position="right"
        size="lg"
        title={t("term.device")}
        closeButtonProps={{ "aria-label": t("action.close") }}
      >
        {search.open !== undefined && <DeviceDetail id={search.open} linkToPage />}
      </Drawer>
    </div>
  );
}

function useColumns(): Column<Device>[] {
  const { t } = useTranslation();
  const formats = useFormats();
  return useMemo(
    () => [
      {
        key: "device",
        header: t("term.device"),
        track: "minmax(150px, 1.3fr)",
        sort: "model",
        cell: (device) => (
          <span className="two">
            <Link to="/devices/$id" params={{ id: device.id }} className="link" preload={false}>
              {device.model}
            </Link>
            <span className="dim small">{t(`vendor.${device.vendor}`, { defaultValue: device.vendor })}</span>
          </span>
        ),
      },
      {
        key: "node",
        header: t("term.node"),
        track: "minmax(104px, 0.8fr)",
        from: 560,
        sort: "node",
        cell: (device) => (
          <span className="two">
            <Link to="/nodes/$id" params={{ id: device.node.id }} className="link" preload={false}>
              {device.node.name}
            </Link>
            <span className="dim small num">{t("device.indexNumber", { index: device.index })}</span>
          </span>
        ),
      },
      {
        key: "mode",
        header: t("device.mode"),
        track: "104px",
        from: 1240,
        cell: (device) => <StateChip state={device.mode} />,
      },
      {
        key: "slices",
        header: t("device.slices"),
        track: "minmax(150px, 2fr)",
        cell: (device) => <SliceBar device={device} />,
      },
      {
        key: "count",
        header: t("device.slots"),
        track: "72px",
        from: 1160,
        align: "end",
        cell: (device) => (
          <span className="num">
            {device.slices_used} / {device.max_slices}
          </span>
        ),
      },
      {
        key: "allocated",
        header: t("device.allocated"),
        track: "124px",
        from: 900,
        align: "end",
        cell: (device) => (
          <span className="two num">
            <span>{formats.percent(device.cores_allocated)}</span>
            <span className="dim small">
              {formats.gib(device.memory_allocated_mib)} / {formats.gib(device.memory_mib)} {t("unit.gib")}
            </span>
          </span>
        ),
      },
      {
        key: "util",
        header: t("device.util"),
        track: "124px",
        from: 420,
        align: "end",
        cell: (device) => <UtilCell device={device} />,
      },
      {
        key: "used",
        header: t("device.memoryUsed"),
        track: "116px",
        from: 1040,
        align: "end",
        cell: (device) => <MemoryUsedCell device={device} />,
      },
      {
        key: "temperature",
        header: t("device.temperature"),
        track: "64px",
        from: 820,
        align: "end",
        cell: (device) => <TemperatureCell device={device} />,
      },
      {
        key: "power",
        header: t("device.power"),
        track: "68px",
        from: 820,
        align: "end",
        cell: (device) => <PowerCell device={device} />,
      },
      {
        key: "health",
        header: t("device.health"),
        track: "112px",
        from: 700,
        sort: "health",
        cell: (device) => <StateChip state={device.cordoned ? "cordoned" : device.health} />,
      },
    ],
    [t, formats],
  );
}

type FilterProps = {
  search: ReturnType<typeof route.useSearch>;
  set: (change: Partial<Record<keyof ReturnType<typeof route.useSearch>, string | null>>) => void;
};

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
    <Select
      aria-label={t(`filter.${key}`)}
      placeholder={t(`filter.${key}`)}
      size="xs"
      w={132}
      clearable
      data={data}
      value={search[key] ?? null}
      onChange={(value) => {
        set({ [key]: value });
      }}
    />
  );
  return (
    <div className="filters">
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
    </div>
  );
}
