import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import type { Usage } from "../../api/types";
import { useFormats } from "../../ui/format";
import { Meter } from "../../ui/Meter";

export type UsageRow = { key: string; name: string; usage: Usage; search: { pool?: string; vendor?: string } };

/** Live sums, a row each: what is given out (band) and what is really used (bar). */
export function UsageTable({ label, rows }: { label: string; rows: readonly UsageRow[] }) {
  const { t } = useTranslation();
  const formats = useFormats();
  return (
    <table className="usage" aria-label={label}>
      <thead>
        <tr>
          <th>{t("usage.name")}</th>
          <th className="wide">{t("usage.load")}</th>
          <th data-align="end">{t("usage.util")}</th>
          <th data-align="end">{t("usage.allocated")}</th>
          <th data-align="end" className="from-sm">
            {t("usage.memory")}
          </th>
          <th data-align="end" className="from-md">
            {t("usage.power")}
          </th>
          <th data-align="end" className="from-sm">
            {t("usage.devices")}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, name, usage, search }) => (
          <tr key={key}>
            <th scope="row">
              <Link to="/devices" search={search} className="link">
                {name}
              </Link>
            </th>
            <td>
              <Meter
                value={usage.util_pct}
                second={usage.cores_allocated_pct}
                label={t("usage.meter", {
                  util: usage.util_pct === null ? t("cell.none") : formats.percent(usage.util_pct),
                  allocated: formats.percent(usage.cores_allocated_pct),
                })}
              />
            </td>
            <td data-align="end" className="num">
              {usage.util_pct === null ? t("cell.none") : formats.percent(usage.util_pct)}
            </td>
            <td data-align="end" className="num">
              {formats.percent(usage.cores_allocated_pct)}
            </td>
            <td data-align="end" className="num from-sm">
              {formats.gib(usage.memory_used_mib)} / {formats.gib(usage.memory_mib)} <small>{t("unit.gib")}</small>
            </td>
            <td data-align="end" className="num from-md">
              {formats.watts(usage.power_w)}
            </td>
            <td data-align="end" className="num from-sm">
              {usage.devices_reporting === usage.devices
                ? formats.integer(usage.devices)
                : `${formats.integer(usage.devices_reporting)} / ${formats.integer(usage.devices)}`}
            </td>
          </tr>
        ))}
        {rows.length === 0 && (
          <tr>
            <td colSpan={7} className="dim">
              {t("empty.noDevices")}
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}
