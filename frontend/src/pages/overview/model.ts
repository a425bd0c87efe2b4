/** What the overview shows, from the first answer and the live frames that follow. */
import type { JobEvent, Overview, TotalUsage, Usage } from "../../api/types";
import type { OverviewFrame } from "../../live/protocol";

/** The live frame where there is one: it is newer than the answer it follows. */
export function withLive(base: Overview, frame: OverviewFrame | undefined): Overview {
  if (frame === undefined || Date.parse(frame.at) < Date.parse(base.at)) return base;
  return { ...base, pools: frame.pools, vendors: frame.vendors, totals: frame.totals, at: frame.at };
}

/** The sums of the chosen pool; of everything when none is chosen or it is unknown. */
export function scoped(overview: Overview, pool: string | undefined): Usage {
  return overview.pools.find((each) => each.name === pool) ?? overview.totals;
}

export type TileNumbers = { allocatedMilli: number; usedMilli: number; idleMilli: number; totalMilli: number };

/** In milli-cards. `used` counts cards that do not report as idle: nobody knows that they are used. */
export function tileNumbers(usage: Usage): TileNumbers {
  const totalMilli = usage.devices * 1000;
  const allocatedMilli = Math.round(usage.cores_allocated_pct * usage.devices * 10);
  const usedMilli = Math.round((usage.util_pct ?? 0) * usage.devices_reporting * 10);
  return { totalMilli, allocatedMilli, usedMilli, idleMilli: Math.max(0, allocatedMilli - usedMilli) };
}

export const waitingJobs = (totals: TotalUsage): number =>
  (totals.jobs["pending"] ?? 0) + (totals.jobs["blocked"] ?? 0) + (totals.jobs["held"] ?? 0);

/** Newest first, each event once. */
export function feed(recent: readonly JobEvent[], live: readonly JobEvent[], most: number): JobEvent[] {
  const byId = new Map<number, JobEvent>();
  for (const event of [...recent, ...live]) if (event.kind === "state") byId.set(event.id, event);
  return [...byId.values()].sort((a, b) => b.id - a.id).slice(0, most);
}
