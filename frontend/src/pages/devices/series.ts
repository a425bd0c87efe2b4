/** Stored samples with what came live since. */

export type Sample = readonly (number | null)[];

const AT = 0;
/** No reading for this long is a gap in the line, not a straight one. */
export const GAP_S = 90;

/** Appends live samples that are newer than the stored ones, within the window. */
export function joinSamples(stored: readonly Sample[], live: readonly Sample[], from: number): Sample[] {
  const newest = stored.at(-1)?.[AT] ?? 0;
  const inWindow = (sample: Sample): boolean => (sample[AT] ?? 0) >= from;
  return [...stored, ...live.filter((sample) => (sample[AT] ?? 0) > newest)].filter(inWindow);
}

/** One column per value; a row of nulls stands in each gap. */
export function columnsOf(samples: readonly Sample[], width: number): { times: number[]; values: (number | null)[][] } {
  const times: number[] = [];
  const values: (number | null)[][] = Array.from({ length: width }, () => []);
  let last: number | undefined;
  for (const sample of samples) {
    const at = sample[AT];
    if (at === null || at === undefined) continue;
    if (last !== undefined && at - last > GAP_S) {
      times.push((at + last) / 2);
      for (const column of values) column.push(null);
    }
    times.push(at);
    values.forEach((column, index) => column.push(sample[index + 1] ?? null));
    last = at;
  }
  return { times, values };
}
