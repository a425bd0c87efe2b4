import { Link } from "@tanstack/react-router";
import type { ComponentProps, ReactNode } from "react";
import { useTranslation } from "react-i18next";

import type { Overview } from "../../api/types";
import { TILE } from "../../live/client";
import { useCell, useLive } from "../../live/hooks";
import { useFormats } from "../../ui/format";
import { Spark } from "../../ui/Spark";
import { scoped, tileNumbers, waitingJobs } from "./model";

type TileProps = {
  name: string;
  value: ReactNode;
  of: ReactNode;
  note: ReactNode;
  series: readonly number[];
  most?: number;
  to: ComponentProps<typeof Link>["to"];
  search: ComponentProps<typeof Link>["search"];
  tone?: "warn" | "bad";
};

function Tile({ name, value, of, note, series, most, to, search, tone }: TileProps) {
  return (
    <Link to={to} search={search} className="tile" data-tone={tone}>
      <span className="tilename">{name}</span>
      <span className="tilevalue num">
        {value} <small>{of}</small>
      </span>
      <span className="tilefoot">
        <span className="dim small num">{note}</span>
        <Spark values={series} {...(most === undefined ? {} : { most })} width={72} height={20} />
      </span>
    </Link>
  );
}

/** The five numbers that say how the pool does; each leads to the list behind it. */
export function Tiles({ overview, pool }: { overview: Overview; pool: string | undefined }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const live = useLive();
  const history = useCell(live.overviewHistory);
  // The history is of everything together: beside the numbers of one pool it would mislead.
  const series = (index: number): number[] => (pool === undefined ? history.map((point) => point.values[index] ?? 0) : []);
  const usage = scoped(overview, pool);
  const numbers = tileNumbers(usage);
  const waiting = waitingJobs(overview.totals);
  const total = t("overview.ofCards", { cards: formats.integer(usage.devices) });
  const share = (milli: number): string => formats.percent(numbers.totalMilli === 0 ? 0 : (milli / numbers.totalMilli) * 100);
  const silent = usage.devices - usage.devices_reporting;
  const sick = overview.unhealthy.devices + overview.unhealthy.nodes;
  return (
    <div className="tiles">
      <Tile
        name={t("overview.allocated")}
        value={formats.cards(numbers.allocatedMilli)}
        of={total}
        note={`${share(numbers.allocatedMilli)} · ${formats.gib(usage.memory_allocated_mib)} / ${formats.gib(usage.memory_mib)} GiB`}
        series={series(TILE.allocated)}
        most={100}
        to="/devices"
        search={{ load: "held" }}
      />
      <Tile
        name={t("overview.used")}
        value={formats.cards(numbers.usedMilli)}
        of={total}
        note={`${share(numbers.usedMilli)} · ${formats.watts(usage.power_w)}`}
        series={series(TILE.used)}
        most={100}
        to="/devices"
        search={{ load: "busy" }}
      />
      <Tile
        name={t("overview.idle")}
        value={formats.cards(numbers.idleMilli)}
        of={t("overview.cardsUnit")}
        note={t("overview.idleNote")}
        series={series(TILE.idle)}
        most={100}
        to="/devices"
        search={{ load: "idle" }}
      />
      <Tile
        name={t("overview.waiting")}
        value={formats.integer(waiting)}
        of={t("overview.jobsUnit", { count: waiting })}
        note={
          overview.waiting.oldest_s === null || waiting === 0
            ? t("overview.nobodyWaits")
            : t("overview.oldest", { duration: formats.duration(overview.waiting.oldest_s) })
        }
        series={series(TILE.waiting)}
        to="/jobs"
        search={{ tab: "waiting" }}
        {...(waiting > 0 ? { tone: "warn" as const } : {})}
      />
      <Tile
        name={t("overview.unhealthy")}
        value={formats.integer(sick)}
        of={t("overview.unhealthyOf", { devices: overview.unhealthy.devices, nodes: overview.unhealthy.nodes })}
        note={silent > 0 ? t("overview.silent", { count: silent }) : t("overview.allReport")}
        series={series(TILE.unheard)}
        to={overview.unhealthy.devices > 0 || overview.unhealthy.nodes === 0 ? "/devices" : "/nodes"}
        search={overview.unhealthy.devices > 0 || overview.unhealthy.nodes === 0 ? { health: "unhealthy" } : { state: "unreachable" }}
        {...(sick > 0 ? { tone: "bad" as const } : {})}
      />
    </div>
  );
}
