/** Saved views: filters, order and columns of a list under a name, kept on the server for their owner. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";

import { api, ok } from "../api/client";
import { keys, viewsQuery } from "../api/queries";
import type { SavedView } from "../api/types";
import { SCOPE_KEYS } from "../app/search";
import type { Page } from "./layout";

export type Search = Readonly<Record<string, string | undefined>>;
/** What belongs to the moment or to the whole console, not to a view. */
const NOT_OF_A_VIEW: readonly string[] = [...SCOPE_KEYS, "open", "part"];

export const viewSearch = (search: Search): Record<string, string> =>
  Object.fromEntries(
    Object.entries(search).filter(
      (pair): pair is [string, string] => pair[1] !== undefined && !NOT_OF_A_VIEW.includes(pair[0]),
    ),
  );

const sorted = (search: Search): string => JSON.stringify(Object.entries(search).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Is this view what is on screen? */
export const isShown = (view: SavedView, search: Search, columns: readonly string[] | null): boolean =>
  sorted(view.search) === sorted(viewSearch(search)) && JSON.stringify(view.columns) === JSON.stringify(columns);

/** The view that a page opens with: the default one, unless the address already says what to show. */
export const firstView = (views: readonly SavedView[], search: Search): SavedView | undefined =>
  Object.keys(viewSearch(search)).length === 0 ? views.find((view) => view.is_default) : undefined;

export function useViews(page: Page): readonly SavedView[] | undefined {
  const { data } = useQuery(viewsQuery);
  return useMemo(() => data?.filter((view) => view.page === page), [data, page]);
}

export function useFirstView(
  views: readonly SavedView[] | undefined,
  search: Search,
  show: (view: SavedView) => void,
): void {
  const done = useRef(false);
  useEffect(() => {
    if (done.current || views === undefined) return;
    done.current = true;
    const first = firstView(views, search);
    if (first !== undefined) show(first);
  }, [views, search, show]);
}

type New = { page: Page; name: string; search: Record<string, string>; columns: string[] | null; is_default: boolean };

export function useViewWrites() {
  const client = useQueryClient();
  const after = async <T>(done: Promise<T>): Promise<T> => {
    const answer = await done;
    await client.invalidateQueries({ queryKey: keys.views });
    return answer;
  };
  return {
    create: (body: New) => after(ok(api.POST("/api/v1/views/", { body }))),
    change: (id: string, body: Partial<Omit<New, "page">>) =>
      after(ok(api.PATCH("/api/v1/views/{id}/", { params: { path: { id } }, body }))),
    remove: (id: string) => after(ok(api.DELETE("/api/v1/views/{id}/", { params: { path: { id } } }))),
  };
}
