import { describe, expect, it } from "vitest";

import type { JobEvent, Overview, Usage } from "../../api/types";
import { feed, scoped, tileNumbers, withLive } from "./model";

const usage = (change: Partial<Usage> = {}): Usage => ({
  devices: 4,
  devices_reporting: 4,
  devices_allocated: 2,
  util_pct: 10,
  memory_used_mib: 0,
  memory_mib: 0,
  cores_allocated_pct: 50,
  memory_allocated_mib: 0,
  power_w: 0,
  fate: { busy: 0, idle: 0, free: 0, cordoned: 0, down: 0 },
  ...change,
});
const overview = (at: string): Overview =>
  ({
    at,
    pools: [{ id: "1", name: "p", ...usage({ devices: 1 }) }],
    vendors: [],
    totals: { ...usage(), jobs: {} },
  }) as unknown as Overview;
const event = (id: number, kind = "state"): JobEvent => ({ id, kind }) as JobEvent;

describe("the overview", () => {
  it("does not go back to a frame that is older than the answer", () => {
    const base = overview("2026-01-01T00:00:10Z");
    const frame = { type: "overview" as const, ...overview("2026-01-01T00:00:05Z") };
    expect(withLive(base, frame)).toBe(base);
  });

  it("shows the sums of the chosen pool", () => {
    expect([
      scoped(overview("2026-01-01T00:00:00Z"), "p").devices,
      scoped(overview("2026-01-01T00:00:00Z"), undefined).devices,
    ]).toEqual([1, 4]);
  });

  it("counts cards given out, used and idle", () => {
    expect(tileNumbers(usage())).toEqual({ totalMilli: 4000, allocatedMilli: 2000, usedMilli: 400, idleMilli: 1600 });
  });

  it("does not count idle cards below nought when more is used than was given out", () => {
    expect(tileNumbers(usage({ util_pct: 90 })).idleMilli).toBe(0);
  });

  it("lists each event once, newest first, states only", () => {
    expect(feed([event(1), event(2)], [event(2), event(3, "reason"), event(4)], 2).map((each) => each.id)).toEqual([
      4, 2,
    ]);
  });
});
