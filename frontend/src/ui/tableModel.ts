/** The logic of DataTable, apart from drawing. */

export type Item<Row> = { kind: "row"; row: Row; index: number } | { kind: "group"; label: string; count: number };

export function visibleColumns<C extends { from?: number }>(columns: readonly C[], width: number): C[] {
  // Width 0 = not measured yet: then all are drawn rather than none.
  return columns.filter((column) => width === 0 || column.from === undefined || width >= column.from);
}

const GAP = 12;
const LEAST = /^(?:minmax\()?(\d+)px/;

/** Pixels below which the columns would lie on each other; the table scrolls sideways then. */
export const leastWidth = (tracks: readonly string[]): number =>
  tracks.reduce((sum, track) => sum + Number(LEAST.exec(track)?.[1] ?? 0), GAP * (tracks.length + 1));

/** Rows of one group follow its heading; groups come in the order of their first row. */
export function groupItems<Row>(rows: readonly Row[], group: ((row: Row) => string) | undefined): Item<Row>[] {
  if (group === undefined) return rows.map((row, index) => ({ kind: "row", row, index }));
  const groups = new Map<string, Item<Row>[]>();
  rows.forEach((row, index) => {
    const label = group(row);
    const items = groups.get(label) ?? [];
    items.push({ kind: "row", row, index });
    groups.set(label, items);
  });
  return [...groups].flatMap(([label, items]) => [{ kind: "group" as const, label, count: items.length }, ...items]);
}

/** Ascending, then descending, then as the server likes it. */
export function nextOrdering(current: string | undefined, field: string): string {
  if (current === field) return `-${field}`;
  return current === `-${field}` ? "" : field;
}
