import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import type { Overview, TotalUsage } from "../../api/types";
import { useFormats } from "../../ui/format";
import { Panel } from "../../ui/parts";
import { vendorOf, waitingJobs } from "./model";

/** What waits, by device class, in cards. */
export function WaitingPanel({ waiting, totals }: { waiting: Overview["waiting"]; totals: TotalUsage }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const rows = Object.entries(waiting.milli).sort((a, b) => b[1] - a[1]);
  const most = Math.max(1, ...rows.map(([, milli]) => milli));
  const count = waitingJobs(totals);
  const nameOf = (wanted: string): string => {
    if (wanted === "any") return t("queue.anyClass");
    const vendor = vendorOf(wanted);
    return vendor === undefined
      ? wanted
      : t("overview.anyOfVendor", { vendor: t(`vendor.${vendor}`, { defaultValue: vendor }) });
  };
  return (
    <Panel
      title={t("overview.waitingByClass")}
      aside={
        <Link to="/jobs" search={{ tab: "waiting" }} className="link small num">
          {t("overview.jobs", { count })}
        </Link>
      }
    >
      {rows.length === 0 ? (
        <p className="dim">{t("overview.nobodyWaits")}</p>
      ) : (
        <ul className="bars">
          {rows.map(([name, milli]) => (
            <li key={name}>
              <span className="breaks">{nameOf(name)}</span>
              <span className="bar" aria-hidden>
                <span style={{ width: `${String((milli / most) * 100)}%` }} />
              </span>
              <span className="num">{t("overview.cardsAmount", { cards: formats.cards(milli) })}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
