import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";

import type { Node } from "../../api/types";
import { useNodeReading } from "../../live/hooks";
import type { Column } from "../../ui/DataTable";
import { useFormats } from "../../ui/format";
import { Meter } from "../../ui/Meter";
import { Pairs } from "../../ui/Pairs";
import { Spark } from "../../ui/Spark";
import { StateChip } from "../../ui/StateChip";
import { When } from "../../ui/When";

export function useNodeColumns(): Column<Node>[] {
  const { t } = useTranslation();
  const formats = useFormats();
  return useMemo(
    () => [
      {
        key: "name",
        fixed: true,
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
      {
        key: "address",
        header: t("node.address"),
        track: "minmax(110px, 0.8fr)",
        extra: true,
        cell: (node) => <span className="mono">{node.address || t("cell.none")}</span>,
      },
      {
        key: "agent",
        header: t("node.agent"),
        track: "108px",
        extra: true,
        cell: (node) => node.agent_version || t("cell.none"),
      },
      {
        key: "labels",
        header: t("node.labels"),
        track: "minmax(120px, 1fr)",
        extra: true,
        cell: (node) => <Pairs values={node.labels} />,
      },
      {
        key: "location",
        header: t("node.location"),
        track: "minmax(120px, 1fr)",
        extra: true,
        cell: (node) => <Pairs values={node.location} />,
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
