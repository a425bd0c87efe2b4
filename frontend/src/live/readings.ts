/** The newest reading per device and node, with a short history for sparklines. Plain data; no React, no timers. */

export const HISTORY = 60;

export type Reading = {
  at: number;
  util: number | null;
  memoryUsedMib: number | null;
  temperatureC: number | null;
  powerW: number | null;
  history: readonly (number | null)[];
};

export type Incoming = Omit<Reading, "history">;

/** A reading replaces the former one and moves the history on; one that is older is dropped. */
export function addReading(known: Reading | undefined, incoming: Incoming): Reading {
  if (known !== undefined && incoming.at < known.at) return known;
  const before = known?.history ?? [];
  const history = [...before.slice(Math.max(0, before.length - HISTORY + 1)), incoming.util];
  return { ...incoming, history };
}

/** What the overview's tiles draw at one moment: of everything, and of each pool by its name. */
export type Point = { at: number; values: readonly number[]; pools: Readonly<Record<string, readonly number[]>> };

/** Appends a point and forgets what is older than the window; points closer than `stepMs` replace the last one. */
export function addPoint(series: readonly Point[], point: Point, windowMs: number, stepMs: number): Point[] {
  const last = series[series.length - 1];
  const before = series[series.length - 2];
  const kept =
    last !== undefined && before !== undefined && point.at - before.at < stepMs ? series.slice(0, -1) : series;
  const oldest = point.at - windowMs;
  return [...kept.filter((each) => each.at >= oldest), point];
}
