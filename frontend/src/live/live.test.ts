import { describe, expect, it, vi } from "vitest";

import type { Job, JobEvent } from "../api/types";
import { tileValues } from "./client";
import { parseFrame } from "./protocol";
import { addPoint, addReading, HISTORY } from "./readings";
import { patchJob, patchPages, Throttle } from "./refresh";
import { missedEvents, PATIENCE_MS, sawEvent, sawNewest } from "./seen";

const reading = (at: number, util: number | null) => ({ at, util, memoryUsedMib: 1, temperatureC: null, powerW: null });
const event = (change: Partial<JobEvent> = {}): JobEvent => ({
  id: 1,
  job: "j1",
  job_name: "train",
  task: null,
  kind: "state",
  from_state: "pending",
  to_state: "running",
  at: "2026-01-01T00:00:00Z",
  actor: "system",
  reason: null,
  message: "",
  ...change,
});
const job = (id: string, state: Job["state"] = "pending"): Job => ({ id, state, reason: null }) as unknown as Job;

describe("a frame", () => {
  it("that is no JSON is no frame", () => {
    expect([parseFrame("{"), parseFrame("3"), parseFrame('{"a":1}')]).toEqual([undefined, undefined, undefined]);
  });
});

describe("readings", () => {
  it("keep a short history, gaps of the vendor's included", () => {
    const first = addReading(undefined, reading(1, 10));
    expect(addReading(first, reading(2, null)).history).toEqual([10, null]);
  });

  it("forget what is older than the history is long", () => {
    let now = addReading(undefined, reading(0, 0));
    for (let at = 1; at <= HISTORY + 5; at += 1) now = addReading(now, reading(at, at));
    expect(now.history).toHaveLength(HISTORY);
    expect(now.history.at(-1)).toBe(HISTORY + 5);
  });

  it("drop one that is older than the last", () => {
    const newest = addReading(undefined, reading(5, 50));
    expect(addReading(newest, reading(4, 40))).toBe(newest);
  });
});

describe("a series of points", () => {
  const point = (at: number, value = 0) => ({ at, values: [value], pools: {} });

  it("replaces the last point while the step is not over", () => {
    const series = [point(0), point(1000, 1)];
    expect(addPoint(series, point(1500, 2), 60_000, 2000)).toEqual([point(0), point(1500, 2)]);
  });

  it("forgets what is out of the window", () => {
    expect(addPoint([point(0), point(5000)], point(12_000), 10_000, 1000).map((each) => each.at)).toEqual([
      5000, 12_000,
    ]);
  });
});

describe("the event stream", () => {
  it("misses nothing when the newest event has been seen", () => {
    const seen = sawEvent({ last: 0, behindSince: null }, 7);
    expect(sawNewest(seen, 7, 0).missed).toBe(false);
  });

  it("gives an event on its way time to come", () => {
    const first = sawNewest({ last: 7, behindSince: null }, 9, 1000);
    expect(first.missed).toBe(false);
    expect(sawNewest(sawEvent(first.seen, 9), 9, 6000).missed).toBe(false);
  });

  it("knows a gap when the event does not come", () => {
    const first = sawNewest({ last: 7, behindSince: null }, 9, 1000);
    const second = sawNewest(first.seen, 9, 1000 + PATIENCE_MS);
    expect(second).toEqual({ missed: true, seen: { last: 9, behindSince: null } });
  });

  it("never goes back", () => {
    expect(sawEvent({ last: 9, behindSince: null }, 4).last).toBe(9);
  });

  it("tells what was missed, oldest first", () => {
    expect(missedEvents([{ id: 9 }, { id: 5 }, { id: 8 }], 5).map((each) => each.id)).toEqual([8, 9]);
  });
});

describe("a state event", () => {
  it("changes the job it is about, and no other", () => {
    expect(patchJob(job("j1"), event()).state).toBe("running");
    const other = job("j2");
    expect(patchJob(other, event())).toBe(other);
  });

  it("leaves the state alone when it is of another kind", () => {
    const waiting = job("j1");
    expect(patchJob(waiting, event({ kind: "reason" }))).toBe(waiting);
  });

  it("leaves pages without the job as they are, so that nothing is drawn anew", () => {
    const pages = { pages: [{ results: [job("j2")] }], pageParams: [null] };
    expect(patchPages(pages, event())).toBe(pages);
  });

  it("patches the page that holds the job", () => {
    const pages = { pages: [{ results: [job("j1"), job("j2")] }], pageParams: [null] };
    expect(patchPages(pages, event())?.pages[0]?.results.map((each) => each.state)).toEqual(["running", "pending"]);
  });
});

describe("the throttle", () => {
  it("makes one run of a burst, and the next not before its time", () => {
    vi.useFakeTimers();
    const throttle = new Throttle();
    const run = vi.fn();
    for (let index = 0; index < 50; index += 1) throttle.run("jobs", 1000, run, 100);
    vi.advanceTimersByTime(100);
    expect(run).toHaveBeenCalledTimes(1);
    throttle.run("jobs", 1000, run, 100);
    vi.advanceTimersByTime(999);
    expect(run).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    expect(run).toHaveBeenCalledTimes(2);
    vi.useRealTimers();
  });
});

describe("the tiles' history", () => {
  it("counts idle as given out and not used, over all cards", () => {
    const totals = {
      devices: 10,
      devices_reporting: 5,
      devices_allocated: 5,
      util_pct: 40,
      memory_used_mib: 0,
      memory_mib: 0,
      cores_allocated_pct: 50,
      memory_allocated_mib: 0,
      power_w: 0,
      fate: { busy: 0, idle: 0, free: 0, cordoned: 0, down: 0 },
      jobs: { pending: 2, held: 1, running: 4 },
    };
    const pool = { ...totals, id: "1", name: "small", devices: 5, devices_reporting: 5 };
    expect(tileValues({ totals, pools: [pool] })).toEqual({
      values: [50, 20, 30, 3, 5],
      pools: { small: [50, 40, 10, 3, 0] },
    });
  });
});
