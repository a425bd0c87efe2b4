import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { devicesQuery, nodeQuery } from "../../api/queries";
import type { Device, Node } from "../../api/types";
import { useNodeReading, useTopics } from "../../live/hooks";
import { useFormats } from "../../ui/format";
import { Facts, Loaded, PageHead, Panel } from "../../ui/parts";
import { SliceBar } from "../../ui/SliceBar";
import { StateChip } from "../../ui/StateChip";
import { When } from "../../ui/When";
import { PowerCell, TemperatureCell, UtilCell } from "../devices/cells";
import { NodeActions } from "./NodeActions";

const route = getRouteApi("/shell/nodes/$id");

export function NodePage() {
  const { id } = route.useParams();
  const query = useQuery(nodeQuery(id));
  useTopics("nodes", "devices");
  return <div className="page scrolls">{<Loaded query={query}>{(node) => <Detail node={node} />}</Loaded>}</div>;
}

function Detail({ node }: { node: Node }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const reading = useNodeReading(node.id);
  const devices = useQuery(devicesQuery({ node: node.id }));
  const util = reading?.util ?? node.live?.util_pct ?? null;
  const pairs = (values: Readonly<Record<string, string>> | undefined): string =>
    Object.entries(values ?? {})
      .map(([key, value]) => `${key}=${value}`)
      .join(", ") || t("cell.none");
  return (
    <div className="stack">
      <PageHead
        title={node.name}
        sub={
          <span className="chips">
            <StateChip state={node.state} />
            {node.cordoned && <StateChip state="cordoned" />}
          </span>
        }
      >
        <NodeActions node={node} />
      </PageHead>
      <Panel title={t("node.facts")}>
        <Facts
          items={[
            [t("term.pool"), node.pool.name],
            [t("term.cluster"), node.cluster.name],
            [t("device.util"), util === null ? t("cell.none") : formats.percent(util)],
            [t("device.allocated"), formats.percent(node.allocated.cores_pct)],
            [t("node.cpu"), t("node.cpuValue", { n: formats.integer(node.cpu_millis / 1000) })],
            [t("node.memory"), `${formats.gib(node.memory_mib)} GiB`],
            [t("node.address"), node.address || t("cell.none")],
            [t("node.labels"), pairs(node.labels)],
            [t("node.location"), pairs(node.location)],
            [t("node.agent"), node.agent_version || t("cell.none")],
            [t("node.simulated"), t(node.simulated ? "cell.yes" : "cell.no")],
            [t("node.lastSeen"), <When key="s" at={node.last_seen_at} />],
          ]}
        />
      </Panel>
      <Panel title={t("nav.devices")}>
        <Loaded query={devices}>{(rows) => <DeviceRows devices={rows} />}</Loaded>
      </Panel>
      <Panel title={t("node.tasks")}>
        <TaskRows devices={devices.data ?? []} />
      </Panel>
    </div>
  );
}

function DeviceRows({ devices }: { devices: readonly Device[] }) {
  const { t } = useTranslation();
  if (devices.length === 0) return <p className="dim">{t("empty.noDevices")}</p>;
  return (
    <div className="devicerows">
      {devices.map((device) => (
        <div key={device.id} className="devicerow">
          <span className="two">
            <Link to="/devices/$id" params={{ id: device.id }} className="link">
              {device.model} {t("device.indexNumber", { index: device.index })}
            </Link>
            <StateChip state={device.cordoned ? "cordoned" : device.health} size={12} />
          </span>
          <SliceBar device={device} />
          <UtilCell device={device} />
          <TemperatureCell device={device} />
          <PowerCell device={device} />
        </div>
      ))}
    </div>
  );
}

/** Each slice on the node's devices belongs to a task; a task on several devices is one row. */
function TaskRows({ devices }: { devices: readonly Device[] }) {
  const { t } = useTranslation();
  const tasks = new Map<
    string,
    { job: { id: string; name: string }; queue: string; state: string; devices: Device[] }
  >();
  for (const device of devices)
    for (const slice of device.slices) {
      if (slice.task === null || slice.job === null) continue;
      const known = tasks.get(slice.task);
      if (known) known.devices.push(device);
      else tasks.set(slice.task, { job: slice.job, queue: slice.queue ?? "", state: slice.state, devices: [device] });
    }
  if (tasks.size === 0) return <p className="dim">{t("node.noTasks")}</p>;
  return (
    <table className="plain">
      <thead>
        <tr>
          <th>{t("term.job")}</th>
          <th>{t("term.queue")}</th>
          <th>{t("job.state")}</th>
          <th>{t("nav.devices")}</th>
        </tr>
      </thead>
      <tbody>
        {[...tasks].map(([id, task]) => (
          <tr key={id}>
            <td>
              <Link to="/jobs/$id" params={{ id: task.job.id }} search={{ tab: "logs", task: id }} className="link">
                {task.job.name}
              </Link>
            </td>
            <td>{task.queue}</td>
            <td>
              <StateChip state={task.state} />
            </td>
            <td>{task.devices.map((device) => t("device.indexNumber", { index: device.index })).join(" ")}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
