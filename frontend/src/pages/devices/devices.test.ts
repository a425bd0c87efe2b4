import { describe, expect, it } from "vitest";

import type { Device } from "../../api/types";
import { byLoad, serverFilters } from "./model";
import { columnsOf, GAP_S, joinSamples } from "./series";

const device = (id: string, slices_used: number): Device => ({ id, slices_used }) as Device;

describe("filters of devices", () => {
  it("drop what the server would refuse", () => {
    expect(serverFilters({ mode: "none", health: "healthy", vendor: "nvidia" }, "p")).toEqual({
      pool: "p",
      vendor: "nvidia",
      health: ["healthy"],
    });
  });

  it("tell idle cards that are held from those that nobody has", () => {
    const util: Record<string, number | null> = { free: 0, idle: 1, busy: 80, silent: null };
    const all = [device("free", 0), device("idle", 1), device("busy", 1), device("silent", 1)];
    const ids = (load: string) => byLoad(all, load, (each) => util[each.id] ?? null).map((each) => each.id);
    expect([ids("held"), ids("idle"), ids("busy")]).toEqual([["idle", "busy", "silent"], ["idle"], ["busy"]]);
  });
});

describe("samples", () => {
  it("go on with what came live after the stored ones", () => {
    expect(
      joinSamples(
        [
          [10, 1],
          [20, 2],
        ],
        [
          [15, 9],
          [25, 3],
        ],
        12,
      ),
    ).toEqual([
      [20, 2],
      [25, 3],
    ]);
  });

  it("show a gap where nothing was heard", () => {
    const { times, values } = columnsOf(
      [
        [0, 1, 5],
        [GAP_S + 10, 2, 6],
      ],
      2,
    );
    expect(times).toEqual([0, (GAP_S + 10) / 2, GAP_S + 10]);
    expect(values).toEqual([
      [1, null, 2],
      [5, null, 6],
    ]);
  });
});
