import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";

import type { Device } from "../../api/types";
import type { Column } from "../../ui/DataTable";
import { useFormats } from "../../ui/format";
import { SliceBar } from "../../ui/SliceBar";
import { StateChip } from "../../ui/StateChip";
import { MemoryUsedCell, PowerCell, TemperatureCell, UtilCell } from "./cells";

export function useDeviceColumns(): Column<Device>[] {
  const { t } = useTranslation();
  const formats = useFormats();
  return useMemo(
    () => [
      {
        key: "device",
        fixed: true,
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
      {
        key: "class",
        header: t("term.deviceClass"),
        track: "minmax(100px, 0.7fr)",
        extra: true,
        cell: (device) => device.device_class,
      },
      { key: "pool", header: t("term.pool"), track: "minmax(80px, 0.6fr)", extra: true, cell: (device) => device.pool },
      {
        key: "bus",
        header: t("device.bus"),
        track: "116px",
        extra: true,
        cell: (device) => <span className="mono">{device.bus_id || t("cell.none")}</span>,
      },
      {
        key: "numa",
        header: t("device.numa"),
        track: "84px",
        extra: true,
        align: "end",
        cell: (device) => <span className="num">{device.numa < 0 ? t("cell.none") : device.numa}</span>,
      },
      {
        key: "uuid",
        header: t("device.uuid"),
        track: "minmax(220px, 1fr)",
        extra: true,
        cell: (device) => (
          <span className="mono clip" title={device.uuid}>
            {device.uuid}
          </span>
        ),
      },
    ],
    [t, formats],
  );
}
