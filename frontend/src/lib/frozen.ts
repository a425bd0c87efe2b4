/** Lists that change while somebody reads them: rows keep their place until the reader applies the changes. */

export type Frozen<Row> = { rows: Row[]; changes: number };

/**
 * The rows in the order already shown, with fresh contents; `changes` = rows that came, went or moved.
 * Rows that are gone stay as they were last seen.
 */
export function freeze<Row>(shown: readonly Row[], fresh: readonly Row[], key: (row: Row) => string): Frozen<Row> {
  const byKey = new Map(fresh.map((row) => [key(row), row]));
  const rows = shown.map((row) => byKey.get(key(row)) ?? row);
  const shownKeys = new Set(shown.map(key));
  const came = fresh.filter((row) => !shownKeys.has(key(row))).length;
  const went = shown.filter((row) => !byKey.has(key(row))).length;
  const stayed = fresh.filter((row) => shownKeys.has(key(row))).map(key);
  const order = shown.map(key).filter((each) => byKey.has(each));
  const moved = stayed.filter((each, index) => order[index] !== each).length;
  return { rows, changes: came + went + moved };
}
