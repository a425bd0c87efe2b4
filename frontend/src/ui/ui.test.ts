import { describe, expect, it } from "vitest";

import type { DeviceSlice } from "../api/types";
import { layoutDevice, layoutTrack } from "./sliceLayout";
import { lookOf } from "./states";
import { JOB_STATES } from "../test/states";
import { groupItems, nextOrdering, visibleColumns } from "./tableModel";

const slice = (change: Partial<DeviceSlice>): DeviceSlice => ({
  allocation: "a1",
  task: "t1",
  job: { id: "j1", name: "train" },
  queue: "demo",
  cores: 25,
  memory_mib: 4096,
  exclusive: false,
  charge: 250,
  state: "running",
  ...change,
});

describe("the slice bar", () => {
  it("lays slices side by side and leaves the rest free", () => {
    const { cores } = layoutDevice({ slices: [slice({}), slice({ allocation: "a2", cores: 50 })], memory_mib: 81_920 });
    expect(cores.segments.map(({ start, width }) => [start, width])).toEqual([
      [0, 25],
      [25, 50],
    ]);
    expect(cores.free).toBe(25);
  });

  it("gives a whole-card slice the whole of both tracks", () => {
    const { cores, memory } = layoutDevice({
      slices: [slice({ exclusive: true, cores: 0, memory_mib: 0 })],
      memory_mib: 81_920,
    });
    expect([cores.segments[0]?.width, memory.segments[0]?.width]).toEqual([100, 100]);
  });

  it("keeps a slice without a reservation of compute in sight", () => {
    const track = layoutTrack([slice({ cores: 0 })], 100, (each) => each.cores);
    expect(track.segments[0]?.width).toBeGreaterThan(0);
  });

  it("marks where the card ends when more than that is given out", () => {
    const track = layoutTrack(
      [slice({ cores: 100 }), slice({ allocation: "a2", cores: 100 })],
      100,
      (each) => each.cores,
    );
    expect(track.capacityAt).toBe(50);
    expect(track.free).toBe(0);
  });

  it("fits a hundred slices of one percent", () => {
    const slices = Array.from({ length: 100 }, (_, index) => slice({ allocation: `a${String(index)}`, cores: 1 }));
    const track = layoutTrack(slices, 100, (each) => each.cores);
    const last = track.segments.at(-1);
    expect((last?.start ?? 0) + (last?.width ?? 0)).toBeCloseTo(100);
  });

  it("names a slice of another tenant by its place, as it has no id", () => {
    const other = slice({ allocation: null, job: null });
    expect(layoutTrack([other, other], 100, (each) => each.cores).segments.map((each) => each.key)).toEqual([
      "other-0",
      "other-1",
    ]);
  });
});

describe("a table", () => {
  it("leaves out columns that its width has no room for", () => {
    const columns = [{ key: "a" }, { key: "b", from: 700 }];
    expect(visibleColumns(columns, 360)).toEqual([{ key: "a" }]);
    expect(visibleColumns(columns, 0)).toHaveLength(2);
  });

  it("puts each group's rows under its heading and keeps their numbers", () => {
    const items = groupItems(["a1", "b1", "a2"], (row) => row.slice(0, 1));
    expect(
      items.map((item) =>
        item.kind === "group" ? `${item.label}:${String(item.count)}` : `${item.row}@${String(item.index)}`,
      ),
    ).toEqual(["a:2", "a1@0", "a2@2", "b:1", "b1@1"]);
  });

  it("sorts up, then down, then as the server does", () => {
    expect([nextOrdering(undefined, "name"), nextOrdering("name", "name"), nextOrdering("-name", "name")]).toEqual([
      "name",
      "-name",
      "",
    ]);
  });
});

describe("states", () => {
  it("all have a picture and a colour of their own kind", () => {
    const unknown = lookOf("no such state");
    expect(JOB_STATES.filter((state) => lookOf(state) === unknown)).toEqual([]);
  });
});
