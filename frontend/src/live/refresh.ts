/** Live job events -> which answers of the server are fetched anew, and how soon. */
import type { InfiniteData, QueryClient } from "@tanstack/react-query";

import { keys } from "../api/queries";
import type { Job, JobEvent, JobState } from "../api/types";

type JobPage = { results: Job[] };

/** At most one run per key and interval; the first comes after a moment, so that a burst is one. */
export class Throttle {
  private readonly last = new Map<string, number>();
  private readonly planned = new Map<string, ReturnType<typeof setTimeout>>();

  run(key: string, everyMs: number, action: () => void, firstMs = 120): void {
    if (this.planned.has(key)) return;
    const wait = Math.max(firstMs, (this.last.get(key) ?? 0) + everyMs - Date.now());
    this.planned.set(
      key,
      setTimeout(() => {
        this.planned.delete(key);
        this.last.set(key, Date.now());
        action();
      }, wait),
    );
  }

  stop(): void {
    for (const timer of this.planned.values()) clearTimeout(timer);
    this.planned.clear();
  }
}

/** The row with what the event says; the same row when it says nothing of it. */
export function patchJob(job: Job, event: JobEvent): Job {
  if (event.kind !== "state" || event.job !== job.id || event.to_state === "") return job;
  return { ...job, state: event.to_state as JobState, reason: event.reason ?? job.reason };
}

export function patchPages(
  data: InfiniteData<JobPage> | undefined,
  event: JobEvent,
): InfiniteData<JobPage> | undefined {
  if (data === undefined || !data.pages.some((page) => page.results.some((job) => job.id === event.job))) return data;
  return {
    ...data,
    pages: data.pages.map((page) => ({ ...page, results: page.results.map((job) => patchJob(job, event)) })),
  };
}

const JOB_MS = 700;
const LIST_MS = 1500;
const SUMS_MS = 3000;

/** Holds what changed: a moved job changes queues, devices and sums too, unless it only got a new reason. */
export function refresher(client: QueryClient): { take: (event: JobEvent) => void; stop: () => void } {
  const throttle = new Throttle();
  const again = (queryKey: readonly unknown[]) => () => void client.invalidateQueries({ queryKey });
  return {
    take(event) {
      if (event.kind === "state") {
        client.setQueriesData<InfiniteData<JobPage>>({ queryKey: keys.jobs }, (data) => patchPages(data, event));
        client.setQueryData<Job>([...keys.job(event.job), "job"], (job) => job && patchJob(job, event));
      }
      throttle.run(event.job, JOB_MS, again(keys.job(event.job)));
      throttle.run("jobs", LIST_MS, again(keys.jobs));
      throttle.run("overview", SUMS_MS, again(keys.overview));
      if (event.kind !== "state") return;
      throttle.run("queues", SUMS_MS, again(keys.queues));
      throttle.run("devices", SUMS_MS, again(keys.devices));
      throttle.run("nodes", SUMS_MS, again(keys.nodes));
    },
    stop: () => {
      throttle.stop();
    },
  };
}
