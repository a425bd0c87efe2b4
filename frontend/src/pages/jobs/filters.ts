import type { JobFilters } from "../../api/queries";
import type { Job, JobState } from "../../api/types";
import { ACTIVE, ENDED, WAITING } from "../../ui/states";

export const TABS = ["all", "waiting", "running", "ended"] as const;
export type Tab = (typeof TABS)[number];

const STATES: Readonly<Record<Tab, readonly JobState[]>> = { all: [], waiting: WAITING, running: ACTIVE, ended: ENDED };

export const tabOf = (value: string | undefined): Tab => TABS.find((tab) => tab === value) ?? "all";

/** The states that one can choose within a tab. */
export const statesOf = (tab: Tab): readonly JobState[] =>
  tab === "all" ? [...WAITING, ...ACTIVE, ...ENDED] : STATES[tab];

type Search = {
  tab?: string;
  state?: string;
  queue?: string;
  owner?: string;
  search?: string;
  label?: string;
  array?: string;
  ordering?: string;
};
type Scope = { pool?: string; tenant?: string };

export function jobFilters(search: Search, scope: Scope): JobFilters {
  const tab = tabOf(search.tab);
  const one = statesOf(tab).find((state) => state === search.state);
  const states = one === undefined ? STATES[tab] : [one];
  return {
    ...(states.length > 0 && { state: [...states] }),
    ...(search.queue && { queue: search.queue }),
    ...(search.owner && { owner: search.owner }),
    ...(search.search && { search: search.search }),
    ...(search.label && { label: search.label }),
    ...(search.array && { array: search.array }),
    ...(search.ordering && { ordering: search.ordering }),
    ...(scope.pool && { pool: scope.pool }),
    ...(scope.tenant && { tenant: scope.tenant }),
  };
}

/** Jobs that a cancel can still reach. */
export const cancellable = (jobs: readonly Job[]): Job[] =>
  jobs.filter((job) => !(ENDED as readonly string[]).includes(job.state));
