import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";

import type { SavedView } from "../api/types";
import { changed, scopeSearch } from "../app/search";
import type { Column } from "../ui/DataTable";
import type { Filters } from "./commands";
import { type Layout, type Page, useChosen, useLayout } from "./layout";
import { type Search, useFirstView, useViews } from "./views";

export type Change = Readonly<Record<string, string | null>>;

export type List<Row> = {
  page: Page;
  search: Search;
  filters: Filters;
  /** All columns that there are, and those in view. */
  columns: readonly Column<Row>[];
  shown: readonly Column<Row>[];
  layout: Layout;
  setLayout: (change: Partial<Layout>) => void;
  views: readonly SavedView[] | undefined;
  show: (view: SavedView) => void;
  /** Changes filters in the address; null takes one out. */
  set: (change: Change) => void;
};

type Options<Row> = { page: Page; search: Search; filters: Filters; columns: readonly Column<Row>[] };

/** What the pages Jobs, Nodes and Devices share: filters in the address, columns, density and saved views. */
export function useList<Row>({ page, search, filters, columns }: Options<Row>): List<Row> {
  const navigate = useNavigate();
  const [layout, setLayout] = useLayout(page);
  const shown = useChosen(columns, layout.columns);
  const views = useViews(page);
  const set = useCallback(
    (change: Change) => {
      void navigate({ to: ".", search: (old) => changed<Record<string, unknown>>(old, change), replace: true });
    },
    [navigate],
  );
  const show = useCallback(
    (view: SavedView) => {
      setLayout({ columns: view.columns ?? null });
      void navigate({ to: ".", search: (old) => ({ ...scopeSearch(old), ...view.search }), replace: true });
    },
    [navigate, setLayout],
  );
  useFirstView(views, search, show);
  return { page, search, filters, columns, shown, layout, setLayout, views, show, set };
}
