import { describe, expect, it } from "vitest";

import { evidenceRows, fill, sentence } from "./reasons";

describe("a reason", () => {
  it("becomes a sentence in the reader's language", () => {
    const reason = { code: "QUEUE_CLOSED", params: { queue: "demo/research" } };
    expect(sentence(reason, "en")).toContain("demo/research");
    expect(sentence(reason, "zh")).toMatch(/队列 demo\/research/);
  });

  it("shows the server's message when its code is unknown here", () => {
    expect(sentence({ code: "FROM_THE_FUTURE", message: "Something new." }, "zh")).toBe("Something new.");
  });

  it("shows its code when there is no message either", () => {
    expect(sentence({ code: "FROM_THE_FUTURE" }, "en")).toBe("FROM_THE_FUTURE");
  });

  it("shows a dash for a parameter that is missing", () => {
    expect(fill("needs {need} of {best}", { need: 3 })).toBe("needs 3 of –");
  });
});

describe("evidence", () => {
  const reason = {
    code: "INSUFFICIENT_RESOURCES",
    params: {},
    evidence: [
      { code: "DEVICE_UNHEALTHY", params: { devices: 2 } },
      { code: "DEVICE_MEMORY_SHORT", params: { devices: 12, need: 8192, best: 4096 } },
      { code: "NODE_CORDONED", params: { nodes: 1 } },
      "not a reason",
    ],
  };

  it("lists what ruled out most first, with its unit and amounts", () => {
    const rows = evidenceRows(reason, "en");
    expect(rows.map((row) => [row.code, row.count, row.unit])).toEqual([
      ["DEVICE_MEMORY_SHORT", 12, "devices"],
      ["DEVICE_UNHEALTHY", 2, "devices"],
      ["NODE_CORDONED", 1, "nodes"],
    ]);
    expect([rows[0]?.need, rows[0]?.best]).toEqual(["8192", "4096"]);
  });

  it("is empty for a reason without any", () => {
    expect(evidenceRows({ code: "QUEUE_CLOSED" }, "en")).toEqual([]);
  });
});
