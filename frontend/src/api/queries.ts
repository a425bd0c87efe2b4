/** Every read of the console: one place that names query keys, so that live events can refresh the right ones. */
import { infiniteQueryOptions, keepPreviousData, queryOptions, type QueryClient } from "@tanstack/react-query";

import { api, ok } from "./client";
import { isProblem } from "./problem";
import type { operations } from "./schema";
import type { Me } from "./types";

export type JobFilters = NonNullable<operations["jobs_list"]["parameters"]["query"]>;
export type DeviceFilters = NonNullable<operations["devices_list"]["parameters"]["query"]>;
export type NodeFilters = NonNullable<operations["nodes_list"]["parameters"]["query"]>;

export const keys = {
  me: ["me"] as const,
  overview: ["overview"] as const,
  jobs: ["jobs"] as const,
  job: (id: string) => ["job", id] as const,
  nodes: ["nodes"] as const,
  devices: ["devices"] as const,
  queues: ["queues"] as const,
  tokens: ["tokens"] as const,
  views: ["views"] as const,
  enrolment: ["enrolment-tokens"] as const,
};

/** null = signed out. */
export const meQuery = queryOptions({
  queryKey: keys.me,
  staleTime: Infinity,
  queryFn: async (): Promise<Me | null> => {
    try {
      return await ok(api.GET("/api/v1/me/"));
    } catch (error) {
      // DRF answers 403 instead of 401 where the first authenticator has no challenge.
      if (isProblem(error, 401) || isProblem(error, 403)) return null;
      throw error;
    }
  },
});

export const overviewQuery = queryOptions({
  queryKey: keys.overview,
  queryFn: () => ok(api.GET("/api/v1/overview/")),
});

/** What was before the page was opened; the live frames go on from there. */
export const overviewHistoryQuery = (pool: string | undefined) =>
  queryOptions({
    // Not below the overview's key: every event makes that be fetched anew.
    queryKey: ["overview-history", pool],
    staleTime: Infinity,
    queryFn: () => ok(api.GET("/api/v1/overview/history/", { params: { query: pool === undefined ? {} : { pool } } })),
  });

const JOBS_A_PAGE = 100;

export function cursorOf(next: string | null | undefined): string | null {
  if (!next) return null;
  return new URL(next, "http://localhost").searchParams.get("cursor");
}

export const jobsQuery = (filters: JobFilters) =>
  infiniteQueryOptions({
    queryKey: [...keys.jobs, filters],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      ok(
        api.GET("/api/v1/jobs/", {
          params: {
            query: { ...filters, page_size: JOBS_A_PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) },
          },
          querySerializer: { array: { style: "form", explode: false } },
        }),
      ),
    getNextPageParam: (last) => cursorOf(last.next),
    placeholderData: keepPreviousData,
  });

export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.job(id), "job"],
    queryFn: () => ok(api.GET("/api/v1/jobs/{id}/", { params: { path: { id } } })),
  });

export const jobTasksQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.job(id), "tasks"],
    queryFn: () => ok(api.GET("/api/v1/jobs/{id}/tasks/", { params: { path: { id } } })),
  });

export const jobWhyQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.job(id), "why"],
    queryFn: () => ok(api.GET("/api/v1/jobs/{id}/why/", { params: { path: { id } } })),
  });

/** A job that was put back many times can have many events: the first pages are enough to tell its story. */
const MOST_EVENT_PAGES = 5;

export const jobEventsQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.job(id), "events"],
    queryFn: async () => {
      const events = [];
      let cursor: string | null = null;
      for (let page = 0; page < MOST_EVENT_PAGES; page += 1) {
        const query: { page_size: number; cursor?: string } = {
          page_size: 1000,
          ...(cursor === null ? {} : { cursor }),
        };
        const answer = await ok(api.GET("/api/v1/jobs/{id}/events/", { params: { path: { id }, query } }));
        events.push(...answer.results);
        cursor = cursorOf(answer.next);
        if (cursor === null) break;
      }
      return events;
    },
  });

type Page<T> = { next?: string | null; results: T[] };

/** All pages of a list that is known to be short enough to hold (nodes, devices, queues). */
async function all<T>(fetchPage: (page: number) => Promise<Page<T>>, mostPages = 20): Promise<T[]> {
  const rows: T[] = [];
  for (let page = 1; page <= mostPages; page += 1) {
    const answer = await fetchPage(page);
    rows.push(...answer.results);
    if (!answer.next) break;
  }
  return rows;
}

const BIG_PAGE = 1000;

export const nodesQuery = (filters: NodeFilters = {}) =>
  queryOptions({
    queryKey: [...keys.nodes, "list", filters],
    queryFn: () =>
      all((page) => ok(api.GET("/api/v1/nodes/", { params: { query: { ...filters, page, page_size: BIG_PAGE } } }))),
    placeholderData: keepPreviousData,
  });

export const nodeQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.nodes, id],
    queryFn: () => ok(api.GET("/api/v1/nodes/{id}/", { params: { path: { id } } })),
  });

export const devicesQuery = (filters: DeviceFilters = {}) =>
  queryOptions({
    queryKey: [...keys.devices, "list", filters],
    queryFn: () =>
      all((page) =>
        ok(
          api.GET("/api/v1/devices/", {
            params: { query: { ...filters, page, page_size: BIG_PAGE } },
            querySerializer: { array: { style: "form", explode: true } },
          }),
        ),
      ),
    placeholderData: keepPreviousData,
  });

export const deviceQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.devices, id],
    queryFn: () => ok(api.GET("/api/v1/devices/{id}/", { params: { path: { id } } })),
  });

export const deviceHistoryQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...keys.devices, id, "history"],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      ok(
        api.GET("/api/v1/devices/{id}/allocations/", {
          params: { path: { id }, query: pageParam === null ? {} : { cursor: pageParam } },
        }),
      ),
    getNextPageParam: (last) => cursorOf(last.next),
  });

export const deviceLinksQuery = (id: string) =>
  queryOptions({
    queryKey: ["device-links", id],
    queryFn: () => ok(api.GET("/api/v1/devices/{id}/links/", { params: { path: { id } } })),
  });

export const deviceSamplesQuery = (id: string, rangeSeconds: number) =>
  queryOptions({
    queryKey: ["device-samples", id, rangeSeconds],
    queryFn: () => {
      const since = new Date(Date.now() - rangeSeconds * 1000).toISOString();
      return ok(api.GET("/api/v1/devices/{id}/samples/", { params: { path: { id }, query: { since } } }));
    },
  });

export const queuesQuery = queryOptions({
  queryKey: keys.queues,
  queryFn: () => all((page) => ok(api.GET("/api/v1/queues/", { params: { query: { page, page_size: BIG_PAGE } } }))),
});

export const poolsQuery = queryOptions({
  queryKey: ["pools"],
  staleTime: 60_000,
  queryFn: () => all((page) => ok(api.GET("/api/v1/pools/", { params: { query: { page, page_size: BIG_PAGE } } }))),
});

export const tenantsQuery = queryOptions({
  queryKey: ["tenants"],
  staleTime: 60_000,
  queryFn: () => all((page) => ok(api.GET("/api/v1/tenants/", { params: { query: { page, page_size: BIG_PAGE } } }))),
});

export const presentModelsQuery = queryOptions({
  queryKey: ["device-models", "present"],
  staleTime: 60_000,
  queryFn: () =>
    all((page) =>
      ok(api.GET("/api/v1/device-models/", { params: { query: { present: true, page, page_size: BIG_PAGE } } })),
    ),
});

export const tokensQuery = queryOptions({
  queryKey: keys.tokens,
  queryFn: () => all((page) => ok(api.GET("/api/v1/tokens/", { params: { query: { page, page_size: BIG_PAGE } } }))),
});

export const viewsQuery = queryOptions({
  queryKey: keys.views,
  staleTime: 60_000,
  queryFn: () => all((page) => ok(api.GET("/api/v1/views/", { params: { query: { page, page_size: BIG_PAGE } } }))),
});

export const enrolmentTokensQuery = queryOptions({
  queryKey: keys.enrolment,
  queryFn: () =>
    all((page) => ok(api.GET("/api/v1/enrolment-tokens/", { params: { query: { page, page_size: BIG_PAGE } } }))),
});

/** After a gap in the live stream everything shown is fetched anew; the old data stays on screen meanwhile. */
export function refetchAll(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ predicate: (query) => query.queryKey[0] !== keys.me[0] });
}
