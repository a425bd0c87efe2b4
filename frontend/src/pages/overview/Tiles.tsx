import { useQuery } from "@tanstack/react-query";
import { Link, linkOptions } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { useTranslation } from "react-i18next";

import { overviewHistoryQuery } from "../../api/queries";
import type { Overview } from "../../api/types";
import { TILE } from "../../live/client";
import { useCell, useLive } from "../../live/hooks";
import { useFormats } from "../../ui/format";
import { Spark } from "../../ui/Spark";
import { scoped, tileNumbers, tileSeries, waitingJobs } from "./model";

const NOTHING: readonly (readonly number[])[] = [];

type TileProps = {
  name: string;
  value: ReactNode;
  of: ReactNode;
  note: ReactNode;
  series: readonly number[];
  most?: number;
};

function Tile({ name, value, of, note, series, most }: TileProps) {
  return (
    <>
      <span className="tilename">{name}</span>
      <span className="tilevalue num">
        {value} <small>{of}</small>
      </span>
      <span className="tilefoot">
        <span className="dim small num">{note}</span>
        <Spark values={series} {...(most === undefined ? {} : { most })} width={72} height={20} />
      </span>
    </>
  );
}

/** The five numbers that say how the pool does; each leads to the list behind it. */
export function Tiles({ overview, pool }: { overview: Overview; pool: string | undefined }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const live = useLive();
  const history = useCell(live.overviewHistory);
  const stored = useQuery(overviewHistoryQuery(pool)).data?.points ?? NOTHING;
  const series = useMemo(() => tileSeries(stored, history, pool), [stored, history, pool]);
  const usage = scoped(overview, pool);
  const numbers = tileNumbers(usage);
  const waiting = waitingJobs(overview.totals);
  const total = t("overview.ofCards", { cards: formats.integer(usage.devices) });
  const share = (milli: number): string =>
    formats.percent(numbers.totalMilli === 0 ? 0 : (milli / numbers.totalMilli) * 100);
  const silent = usage.devices - usage.devices_reporting;
  const sickList =
    overview.unhealthy.devices === 0 && overview.unhealthy.nodes > 0
      ? linkOptions({ to: "/nodes", search: { state: "unreachable" } })
      : linkOptions({ to: "/devices", search: { health: "unhealthy" } });
  const sick = overview.unhealthy.devices + overview.unhealthy.nodes;
  return (
    <div className="tiles">
      <Link to="/devices" search={{ load: "held" }} className="tile">
        <Tile
          name={t("overview.allocated")}
          value={formats.cards(numbers.allocatedMilli)}
          of={total}
          note={`${share(numbers.allocatedMilli)} · ${formats.gib(usage.memory_allocated_mib)} / ${formats.gib(usage.memory_mib)} GiB`}
          series={series(TILE.allocated)}
          most={100}
        />
      </Link>
      <Link to="/devices" search={{ load: "busy" }} className="tile">
        <Tile
          name={t("overview.used")}
          value={formats.cards(numbers.usedMilli)}
          of={total}
          note={`${share(numbers.usedMilli)} · ${formats.watts(usage.power_w)}`}
          series={series(TILE.used)}
          most={100}
        />
      </Link>
      <Link to="/devices" search={{ load: "idle" }} className="tile">
        <Tile
          name={t("overview.idle")}
          value={formats.cards(numbers.idleMilli)}
          of={t("overview.cardsUnit")}
          note={t("overview.idleNote")}
          series={series(TILE.idle)}
          most={100}
        />
      </Link>
      <Link to="/jobs" search={{ tab: "waiting" }} className="tile" data-tone={waiting > 0 ? "warn" : undefined}>
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
        />
      </Link>
      <Link {...sickList} className="tile" data-tone={sick > 0 ? "bad" : undefined}>
        <Tile
          name={t("overview.unhealthy")}
          value={formats.integer(sick)}
          of={t("overview.unhealthyOf", { devices: overview.unhealthy.devices, nodes: overview.unhealthy.nodes })}
          note={silent > 0 ? t("overview.silent", { count: silent }) : t("overview.allReport")}
          series={series(TILE.unheard)}
        />
      </Link>
    </div>
  );
}
