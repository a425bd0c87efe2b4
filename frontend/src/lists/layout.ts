/** Which columns of a list are in view and how close its rows stand: kept for each person and page in this browser. */
import { useCallback, useMemo, useState } from "react";

import { useMe } from "../app/session";
import { keep, recall } from "../lib/keep";
import type { Column } from "../ui/DataTable";

export const PAGES = ["jobs", "nodes", "devices"] as const;
export type Page = (typeof PAGES)[number];
export const DENSITIES = ["comfortable", "compact"] as const;
export type Density = (typeof DENSITIES)[number];
/** `columns` null = the usual ones, fewer where there is little room. */
export type Layout = { columns: readonly string[] | null; density: Density };

const USUAL: Layout = { columns: null, density: "comfortable" };

/** What was kept; anything of another shape is the usual layout. */
export function readLayout(text: string | null): Layout {
  try {
    const kept = JSON.parse(text ?? "null") as Partial<Record<keyof Layout, unknown>> | null;
    const columns = Array.isArray(kept?.columns)
      ? kept.columns.filter((key): key is string => typeof key === "string")
      : null;
    return { columns, density: kept?.density === "compact" ? "compact" : "comfortable" };
  } catch {
    return USUAL;
  }
}

export function useLayout(page: Page): readonly [Layout, (change: Partial<Layout>) => void] {
  const key = `layout.${useMe().id}.${page}`;
  const [layout, setLayout] = useState(() => readLayout(recall(key)));
  const change = useCallback(
    (part: Partial<Layout>) => {
      setLayout((before) => {
        const next = { ...before, ...part };
        keep(key, JSON.stringify(next));
        return next;
      });
    },
    [key],
  );
  return [layout, change];
}

type Choosable = Pick<Column<never>, "key" | "fixed" | "extra" | "from">;

/** The columns in view. Those that somebody chose stay, however narrow the window: the table scrolls then. */
export function chosen<C extends Choosable>(columns: readonly C[], keys: readonly string[] | null): C[] {
  if (keys === null) return columns.filter((column) => column.extra !== true);
  return columns
    .filter((column) => column.fixed === true || keys.includes(column.key))
    .map((column) => ({ ...column, from: 0 }));
}

export const useChosen = <C extends Choosable>(columns: readonly C[], keys: readonly string[] | null): C[] =>
  useMemo(() => chosen(columns, keys), [columns, keys]);
