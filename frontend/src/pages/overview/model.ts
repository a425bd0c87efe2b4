/** What the overview shows, from the first answer and the live frames that follow. */
import type { Fate, JobEvent, Overview, Queue, TotalUsage, Usage } from "../../api/types";
import type { OverviewFrame } from "../../live/protocol";
import type { Point } from "../../live/readings";

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

/** Numbers over time, a list for each tile: what the server remembers, then what came live. */
export function tileSeries(
  stored: readonly (readonly number[])[],
  live: readonly Point[],
  pool: string | undefined,
): (tile: number) => number[] {
  const first = live[0]?.at ?? Infinity;
  const before = stored.filter(([at = 0]) => at * 1000 < first).map(([, ...values]) => values);
  const since = live.map((point) => (pool === undefined ? point.values : (point.pools[pool] ?? [])));
  return (tile) => [...before, ...since].map((values) => values[tile]).filter((value) => value !== undefined);
}

/** The fates in the order of the bar: from what works to what cannot. */
export const FATES = ["busy", "idle", "free", "cordoned", "down"] as const satisfies readonly (keyof Fate)[];

export type TenantRow = {
  name: string;
  held: number;
  guaranteed: number;
  waiting: number;
  classes: { name: string; held: number; guaranteed: number }[];
};

/**
 * What each tenant holds of what it is guaranteed, in milli-cards, by its topmost queues; of guarantees those that the
 * pool can keep (`present`). Who waits below the guarantee comes first, the worst off before the others.
 */
export function tenantRows(queues: readonly Queue[], present: ReadonlySet<string>): TenantRow[] {
  const byId = new Map(queues.map((queue) => [queue.id, queue]));
  const rows = new Map<string, { waiting: number; classes: Map<string, { held: number; guaranteed: number }> }>();
  for (const queue of queues) {
    const { tenant } = queue;
    const above = queue.parent === null ? undefined : byId.get(queue.parent);
    if (tenant === null || above?.tenant?.id === tenant.id) continue;
    const row = rows.get(tenant.name) ?? {
      waiting: 0,
      classes: new Map<string, { held: number; guaranteed: number }>(),
    };
    const add = (name: string, held: number, guaranteed: number): void => {
      const known = row.classes.get(name) ?? { held: 0, guaranteed: 0 };
      row.classes.set(name, { held: known.held + held, guaranteed: known.guaranteed + guaranteed });
    };
    for (const [name, milli] of Object.entries(queue.held)) if (milli > 0) add(name, milli, 0);
    for (const quota of queue.quotas)
      if (present.has(quota.device_class) && quota.guaranteed) add(quota.device_class, 0, quota.guaranteed);
    for (const milli of Object.values(queue.pending_milli)) row.waiting += milli;
    rows.set(tenant.name, row);
  }
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return [...rows]
    .map(([name, { waiting, classes }]) => {
      const list = [...classes].map(([key, amounts]) => ({ name: key, ...amounts })).sort((a, b) => b.held - a.held);
      return {
        name,
        waiting,
        classes: list,
        held: sum(list.map((each) => each.held)),
        guaranteed: sum(list.map((each) => each.guaranteed)),
      };
    })
    .sort((a, b) => need(b) - need(a) || b.held - a.held || (a.name < b.name ? -1 : 1));
}

/** 0..1: how much of its guarantee a tenant lacks while it waits. */
const need = ({ waiting, held, guaranteed }: TenantRow): number =>
  waiting === 0 || guaranteed === 0 ? 0 : Math.max(0, guaranteed - held) / guaranteed;

/** "nvidia/any" -> the vendor; undefined for a device class. */
export const vendorOf = (wanted: string): string | undefined =>
  wanted.endsWith("/any") ? wanted.slice(0, -"/any".length) : undefined;
