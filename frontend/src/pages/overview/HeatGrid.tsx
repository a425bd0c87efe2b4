import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { memo, useMemo } from "react";
import { useTranslation } from "react-i18next";

import { devicesQuery } from "../../api/queries";
import type { Device, NodeUsage } from "../../api/types";
import { useDeviceReading, useNodeReading, useTopics } from "../../live/hooks";
import { useFormats } from "../../ui/format";
import { lookOf } from "../../ui/states";

/** Up to here each card is drawn by itself; a larger pool is drawn by node. */
const MOST_CARDS = 640;

/** The pool at a glance: a block per node, a cell per card, coloured by its load now. */
export function HeatGrid({ nodes, devices }: { nodes: readonly NodeUsage[]; devices: number }) {
  const { t } = useTranslation();
  const single = devices <= MOST_CARDS;
  if (nodes.length === 0) return <p className="dim">{t("empty.noNodes")}</p>;
  return (
    <>
      {single ? <ByCard nodes={nodes} /> : <ByNode nodes={nodes} />}
      <Legend single={single} />
    </>
  );
}

function ByCard({ nodes }: { nodes: readonly NodeUsage[] }) {
  useTopics("devices");
  const { data } = useQuery(devicesQuery());
  const byNode = useMemo(() => {
    const found = new Map<string, Device[]>();
    for (const device of data ?? []) {
      const list = found.get(device.node.id) ?? [];
      list.push(device);
      found.set(device.node.id, list);
    }
    for (const list of found.values()) list.sort((a, b) => a.index - b.index);
    return found;
  }, [data]);
  return (
    <div className="heat">
      {nodes.map((node) => (
        <div className="heatnode" key={node.id} data-off={node.state !== "ready" || undefined}>
          <NodeName node={node} />
          <div className="heatcells">
            {(byNode.get(node.id) ?? []).map((device) => (
              <CardCell key={device.id} device={device} />
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}

function NodeName({ node }: { node: NodeUsage }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const reading = useNodeReading(node.id);
  const { icon: Icon } = lookOf(node.state);
  const util = reading?.util ?? node.util_pct;
  return (
    <Link to="/nodes/$id" params={{ id: node.id }} className="heatname">
      {node.state !== "ready" && <Icon size={12} aria-label={t(`state.${node.state}`)} />}
      <span>{node.name}</span>
      <span className="num dim">{util === null ? t("cell.none") : formats.percent(util)}</span>
    </Link>
  );
}

const CardCell = memo(function CardCell({ device }: { device: Device }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const reading = useDeviceReading(device.id);
  const util = reading === undefined ? (device.live?.util_pct ?? null) : reading.util;
  const memory = reading === undefined ? (device.live?.memory_used_mib ?? null) : reading.memoryUsedMib;
  const sick = device.health === "unhealthy";
  const told = [
    `${device.node.name} #${String(device.index)} ${device.model}`,
    util === null ? t("cell.noData") : `${t("device.util")} ${formats.percent(util)}`,
    memory === null ? "" : `${formats.gib(memory)} / ${formats.gib(device.memory_mib)} GiB`,
    t("slice.count", { count: device.slices_used, max: device.max_slices }),
    ...(sick ? [t("state.unhealthy")] : []),
  ];
  return (
    <Link
      to="/devices/$id"
      params={{ id: device.id }}
      className="heatcell"
      data-mode={device.mode}
      data-sick={sick || undefined}
      data-none={util === null || undefined}
      style={{ "--heat": String(Math.round(util ?? 0)) } as React.CSSProperties}
      title={told.filter(Boolean).join("\n")}
      aria-label={told.filter(Boolean).join(", ")}
      preload={false}
    >
      {sick ? t("heat.sick") : ""}
    </Link>
  );
});

function ByNode({ nodes }: { nodes: readonly NodeUsage[] }) {
  return (
    <div className="heatcells wide">
      {nodes.map((node) => (
        <NodeCell key={node.id} node={node} />
      ))}
    </div>
  );
}

const NodeCell = memo(function NodeCell({ node }: { node: NodeUsage }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const reading = useNodeReading(node.id);
  const util = reading?.util ?? node.util_pct;
  const away = node.state !== "ready";
  const told = `${node.name}: ${away ? t(`state.${node.state}`) : util === null ? t("cell.noData") : formats.percent(util)}`;
  return (
    <Link
      to="/nodes/$id"
      params={{ id: node.id }}
      className="heatcell"
      data-mode={node.devices_allocated > 0 ? "shared" : "empty"}
      data-sick={away || undefined}
      data-none={util === null || undefined}
      style={{ "--heat": String(Math.round(util ?? 0)) } as React.CSSProperties}
      title={told}
      aria-label={told}
      preload={false}
    >
      {away ? t("heat.sick") : ""}
    </Link>
  );
});

function Legend({ single }: { single: boolean }) {
  const { t } = useTranslation();
  return (
    <div className="heatlegend dim small">
      <span>{t(single ? "heat.card" : "heat.node")}</span>
      <span className="num">{t("heat.from")}</span>
      <span className="heatscale" aria-hidden />
      <span className="num">{t("heat.to")}</span>
      <span className="heatkey" data-mode="shared" aria-hidden />
      {t("heat.held")}
      <span className="heatkey" data-none aria-hidden />
      {t("heat.silent")}
    </div>
  );
}
