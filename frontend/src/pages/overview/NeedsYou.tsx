import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import type { Overview } from "../../api/types";
import { sentence } from "../../i18n/reasons";
import { Panel } from "../../ui/parts";
import { StateChip } from "../../ui/StateChip";
import { Elapsed, When } from "../../ui/When";

/** What somebody should look at: sick devices, nodes out of reach, and who waits longest. */
export function NeedsYou({ overview }: { overview: Overview }) {
  const { t, i18n } = useTranslation();
  const { devices, nodes, jobs } = overview.attention;
  const hidden = {
    devices: overview.unhealthy.devices - devices.length,
    nodes: overview.unhealthy.nodes - nodes.length,
  };
  const none = devices.length + nodes.length + jobs.length === 0;
  return (
    <Panel title={t("needs.title")}>
      {none && <p className="dim">{t("needs.nothing")}</p>}
      <ul className="needs">
        {nodes.map((node) => (
          <li key={node.id}>
            <StateChip state="unreachable" />
            <Link to="/nodes/$id" params={{ id: node.id }} className="link">
              {node.name}
            </Link>
            <When at={node.last_seen_at} className="dim small num" />
          </li>
        ))}
        {hidden.nodes > 0 && (
          <li>
            <Link to="/nodes" search={{ state: "unreachable" }} className="link small">
              {t("needs.moreNodes", { count: hidden.nodes })}
            </Link>
          </li>
        )}
        {devices.map((device) => (
          <li key={device.id}>
            <StateChip state={device.health} />
            <Link to="/devices/$id" params={{ id: device.id }} className="link">
              {device.model} {t("device.indexNumber", { index: device.index })}
            </Link>
            <span className="dim small">{device.node}</span>
          </li>
        ))}
        {hidden.devices > 0 && (
          <li>
            <Link to="/devices" search={{ health: "unhealthy" }} className="link small">
              {t("needs.moreDevices", { count: hidden.devices })}
            </Link>
          </li>
        )}
        {jobs.map((job) => (
          <li key={job.id}>
            <StateChip state="pending" />
            <Link to="/jobs/$id" params={{ id: job.id }} className="link" preload={false}>
              {job.name}
            </Link>
            <span className="dim small" title={t("job.waits")}>
              <Elapsed from={job.submitted_at} until={null} />
            </span>
            {job.reason !== null && <span className="feedreason dim small">{sentence(job.reason, i18n.language)}</span>}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
