import { describe, expect, it } from "vitest";

import { freeze } from "./frozen";

type Row = { id: string; state: string };
const row = (id: string, state = "pending"): Row => ({ id, state });
const key = (each: Row): string => each.id;

describe("rows under the reader's eyes", () => {
  it("take new contents in their old places", () => {
    const { rows, changes } = freeze([row("a"), row("b")], [row("a", "running"), row("b")], key);
    expect(rows).toEqual([row("a", "running"), row("b")]);
    expect(changes).toBe(0);
  });

  it("do not move for new rows, which are counted", () => {
    const { rows, changes } = freeze([row("a")], [row("new"), row("a")], key);
    expect(rows.map(key)).toEqual(["a"]);
    expect(changes).toBe(1);
  });

  it("stay when they left the list, and are counted", () => {
    const { rows, changes } = freeze([row("a"), row("b")], [row("b")], key);
    expect(rows.map(key)).toEqual(["a", "b"]);
    expect(changes).toBe(1);
  });

  it("count rows that changed places", () => {
    expect(freeze([row("a"), row("b")], [row("b"), row("a")], key).changes).toBe(2);
  });
});
