import { useCallback, useEffect, useState } from "react";

import { freeze, type Frozen } from "../../lib/frozen";

type Held<Row> = { list: string; rows: readonly Row[] };

/**
 * Rows that keep their places while `frozen`; otherwise they follow. `list` names what is listed: another list starts
 * anew, once its own rows (not the former list's, kept meanwhile) are there.
 */
export function useFrozen<Row>(
  fresh: readonly Row[],
  key: (row: Row) => string,
  list: string,
  frozen: boolean,
  isFormerList: boolean,
): Frozen<Row> & { apply: () => void } {
  const [held, setHeld] = useState<Held<Row>>({ list, rows: fresh });
  const follows = !frozen || held.list !== list || held.rows.length === 0;
  useEffect(() => {
    if (follows && !isFormerList) setHeld({ list, rows: fresh });
  }, [follows, isFormerList, list, fresh]);
  const apply = useCallback(() => {
    setHeld({ list, rows: fresh });
  }, [list, fresh]);
  if (follows) return { rows: [...fresh], changes: 0, apply };
  return { ...freeze(held.rows, fresh, key), apply };
}
