import { describe, expect, it } from "vitest";

import type { Queue } from "../../api/types";
import { requestOf, rowsOf } from "./quotaRows";
import { bullet, classesOf, treeRows } from "./tree";

const queue = (id: string, parent: string | null = null, change: Partial<Queue> = {}): Queue =>
  ({ id, name: id, path: id, parent, quotas: [], held: {}, pending_milli: {}, ...change }) as unknown as Queue;

describe("the queue tree", () => {
  const queues = [queue("a"), queue("a1", "a"), queue("a11", "a1"), queue("b")];

  it("shows children below their parent, one level in", () => {
    expect(treeRows(queues, new Set()).map((row) => [row.queue.id, row.depth])).toEqual([
      ["a", 0],
      ["a1", 1],
      ["a11", 2],
      ["b", 0],
    ]);
  });

  it("hides all that lies below a closed queue", () => {
    expect(treeRows(queues, new Set(["a"])).map((row) => row.queue.id)).toEqual(["a", "b"]);
  });

  it("takes a queue whose parent is not visible for a root", () => {
    expect(treeRows([queue("x", "hidden")], new Set()).map((row) => [row.queue.id, row.depth])).toEqual([["x", 0]]);
  });
});

describe("classes worth showing", () => {
  it("are those in use first, then those of the pool that have a quota", () => {
    const quota = (device_class: string) => ({ device_class, guaranteed: 0, limit: null, weight: 100, reserved: 0 });
    const queues = [
      queue("a", null, { quotas: [quota("b-class"), quota("gone")], held: { "z-class": 500, "c-class": 0 } }),
    ];
    expect(classesOf(queues, new Set(["b-class", "z-class"]))).toEqual(["z-class", "b-class"]);
  });
});

describe("a bullet bar", () => {
  it("ends at the largest of what it shows", () => {
    expect(bullet(2000, 4000, 8000, 0)).toEqual({ heldPct: 25, guaranteedPct: 50, limitPct: 100, over: false });
  });

  it("says when more than the guarantee is held", () => {
    expect(bullet(5000, 4000, null, 0)).toMatchObject({ over: true, limitPct: null, heldPct: 100 });
  });

  it("has no mark where nothing is guaranteed", () => {
    expect(bullet(0, 0, null, 0)).toMatchObject({ guaranteedPct: null, over: false });
  });
});

describe("the quota form", () => {
  it("gives back what it was given", () => {
    const quotas = [{ device_class: "a", guaranteed: 1500, limit: 8000, weight: 50, reserved: 3 }];
    expect(requestOf(rowsOf(quotas))).toEqual(quotas);
  });

  it("takes an empty limit for none, and nought for nothing", () => {
    const row = { deviceClass: "a", guaranteed: "", limit: "", weight: "", reserved: 0 };
    expect(requestOf([row])).toEqual([{ device_class: "a", guaranteed: 0, limit: null, weight: 100, reserved: 0 }]);
    expect(requestOf([{ ...row, limit: 0 }])[0]?.limit).toBe(0);
  });
});
