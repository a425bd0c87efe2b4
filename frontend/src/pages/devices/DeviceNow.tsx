import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { deviceLinksQuery, devicesQuery } from "../../api/queries";
import type { Device } from "../../api/types";
import { useFormats } from "../../ui/format";
import { Copy, Facts, Panel } from "../../ui/parts";
import { SliceBar } from "../../ui/SliceBar";
import { StateChip } from "../../ui/StateChip";
import { MemoryUsedCell, PowerCell, TemperatureCell, UtilCell } from "./cells";
import { useShareText } from "./useShareText";

/** What is on the card now, what it does, and what it is. */
export function DeviceNow({ device }: { device: Device }) {
  const { t } = useTranslation();
  const formats = useFormats();
  return (
    <div className="stack">
      <Panel
        title={t("device.slices")}
        aside={
          <span className="num dim small">
            {t("slice.count", { count: device.slices_used, max: device.max_slices })}
          </span>
        }
      >
        <SliceBar device={device} large />
        <SliceTable device={device} />
      </Panel>
      <div className="nowrow">
        <Now name={t("device.util")}>
          <UtilCell device={device} />
        </Now>
        <Now name={t("device.memoryUsed")}>
          <MemoryUsedCell device={device} />
        </Now>
        <Now name={t("device.temperature")}>
          <TemperatureCell device={device} />
        </Now>
        <Now name={t("device.power")}>
          <PowerCell device={device} />
        </Now>
      </div>
      <Panel title={t("device.facts")}>
        <Facts
          items={[
            [t("term.node"), <NodeLink key="n" device={device} />],
            [t("term.pool"), device.pool],
            [t("term.vendor"), t(`vendor.${device.vendor}`, { defaultValue: device.vendor })],
            [t("term.deviceClass"), device.device_class],
            [t("device.memory"), `${formats.gib(device.memory_mib)} GiB`],
            [t("device.uuid"), <UuidValue key="u" uuid={device.uuid} />],
            [t("device.bus"), device.bus_id || t("cell.none")],
            [t("device.numa"), device.numa < 0 ? t("cell.none") : String(device.numa)],
            [t("device.linkGroup"), device.link_group || t("cell.none")],
          ]}
        />
      </Panel>
      <Links device={device} />
    </div>
  );
}

function Now({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="nowvalue">
      <span className="dim small">{name}</span>
      {children}
    </div>
  );
}

function NodeLink({ device }: { device: Device }) {
  return (
    <Link to="/nodes/$id" params={{ id: device.node.id }} className="link">
      {device.node.name}
    </Link>
  );
}

function UuidValue({ uuid }: { uuid: string }) {
  return (
    <span className="mono breaks">
      {uuid} <Copy text={uuid} />
    </span>
  );
}

function SliceTable({ device }: { device: Device }) {
  const { t } = useTranslation();
  const share = useShareText(device);
  if (device.slices.length === 0) return <p className="dim">{t("slice.none")}</p>;
  return (
    <table className="plain">
      <thead>
        <tr>
          <th>{t("term.job")}</th>
          <th>{t("term.queue")}</th>
          <th>{t("job.state")}</th>
          <th data-align="end">{t("device.cores")}</th>
          <th data-align="end">{t("device.memory")}</th>
        </tr>
      </thead>
      <tbody>
        {device.slices.map((slice, index) => (
          <tr key={slice.allocation ?? index}>
            <td>
              {slice.job === null ? (
                <span className="dim">{t("slice.otherTenant")}</span>
              ) : (
                <Link to="/jobs/$id" params={{ id: slice.job.id }} className="link">
                  {slice.job.name}
                </Link>
              )}
            </td>
            <td>{slice.queue ?? t("cell.none")}</td>
            <td>
              <StateChip state={slice.state} />
            </td>
            <td data-align="end" className="num">
              {share.cores(slice)}
            </td>
            <td data-align="end" className="num">
              {share.memory(slice)} <small>{t("unit.gib")}</small>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Links({ device }: { device: Device }) {
  const { t } = useTranslation();
  const links = useQuery(deviceLinksQuery(device.id)).data ?? [];
  const neighbours = useQuery({ ...devicesQuery({ node: device.node.id }), enabled: links.length > 0 }).data ?? [];
  if (links.length === 0) return null;
  const byId = new Map(neighbours.map((each) => [each.id, each]));
  return (
    <Panel title={t("device.links")}>
      <ul className="linklist">
        {links.map((link) => {
          const other = link.a === device.id ? link.b : link.a;
          const known = byId.get(other);
          return (
            <li key={`${link.kind} ${other}`}>
              <Link to="/devices/$id" params={{ id: other }} className="link">
                {known === undefined
                  ? other.slice(0, 8)
                  : `${known.model} ${t("device.indexNumber", { index: known.index })}`}
              </Link>
              <span className="dim small">
                {link.kind}
                {link.bandwidth_gbps ? ` · ${t("device.bandwidth", { n: link.bandwidth_gbps })}` : ""}
              </span>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
