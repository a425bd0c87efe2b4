import { describe, expect, it, vi } from "vitest";

import { ApiProblem } from "../../api/problem";
import type { JobEvent } from "../../api/types";
import { pieces, stripAnsi } from "./ansi";
import { cancelAll } from "./BulkCancel";
import { jobFilters } from "./filters";
import { LogBuffer } from "./logBuffer";
import { buildTimeline } from "./timeline";

const move = (id: number, from: string, to: string, second: number): JobEvent =>
  ({ id, kind: "state", from_state: from, to_state: to, at: new Date(second * 1000).toISOString() }) as JobEvent;

describe("the timeline", () => {
  const job = { submitted_at: new Date(0).toISOString(), state: "running" as const, ended_at: null };

  it("tells how long the job was in each state; the last goes on", () => {
    const spans = buildTimeline(
      job,
      [move(1, "", "pending", 0), move(2, "pending", "starting", 10), move(3, "starting", "running", 12)],
      20_000,
    );
    expect(spans.map((span) => [span.state, span.seconds])).toEqual([
      ["pending", 10],
      ["starting", 2],
      ["running", 8],
    ]);
  });

  it("does not let an ended state go on", () => {
    const spans = buildTimeline(
      { ...job, state: "failed" },
      [move(1, "", "pending", 0), move(2, "pending", "failed", 5)],
      99_000,
    );
    expect(spans.at(-1)?.seconds).toBe(0);
  });

  it("starts with the job's own state before the first event is known", () => {
    expect(buildTimeline({ ...job, state: "pending" }, [], 4000)).toEqual([
      { state: "pending", from: 0, until: null, seconds: 4 },
    ]);
  });
});

describe("filters of the job list", () => {
  it("ask for the states of the tab, or for the one chosen within it", () => {
    expect(jobFilters({ tab: "waiting" }, {}).state).toEqual(["held", "blocked", "pending"]);
    expect(jobFilters({ tab: "waiting", state: "held" }, {}).state).toEqual(["held"]);
  });

  it("drop a state that is not in the tab", () => {
    expect(jobFilters({ tab: "ended", state: "running" }, {}).state).toEqual([
      "succeeded",
      "failed",
      "cancelled",
      "skipped",
    ]);
  });

  it("take pool and tenant from the scope", () => {
    expect(jobFilters({}, { pool: "p", tenant: "t" })).toEqual({ pool: "p", tenant: "t" });
  });
});

describe("cancelling many", () => {
  it("takes a job that ended meanwhile for done", async () => {
    const gone = new ApiProblem({ status: 409, code: "illegal_transition", title: "", detail: "" });
    const cancel = vi.fn((id: string) => (id === "b" ? Promise.reject(gone) : Promise.resolve()));
    await cancelAll(["a", "b", "c"], cancel);
    expect(cancel).toHaveBeenCalledTimes(3);
  });

  it("tells any other error", async () => {
    const refused = new ApiProblem({ status: 403, code: "not_allowed", title: "", detail: "" });
    await expect(cancelAll(["a"], () => Promise.reject(refused))).rejects.toBe(refused);
  });
});

describe("a log", () => {
  it("joins a line that came in two parts", () => {
    const log = new LogBuffer();
    log.append("one\ntw");
    log.append("o\nthree\n");
    expect(log.lines).toEqual(["one", "two", "three"]);
  });

  it("lets a carriage return write its line anew", () => {
    const log = new LogBuffer();
    log.append("10 %\r50 %");
    log.append("\r100 %\r\ndone\n");
    expect(log.lines).toEqual(["100 %", "done"]);
  });

  it("drops the oldest lines at its bound and counts them", () => {
    const log = new LogBuffer(2);
    log.append("a\nb\nc\n");
    expect([log.lines, log.dropped]).toEqual([["b", "c"], 1]);
  });

  it("keeps empty lines", () => {
    const log = new LogBuffer();
    log.append("a\n\nb\n");
    expect(log.lines).toEqual(["a", "", "b"]);
  });

  it("finds words across a change of colour", () => {
    const log = new LogBuffer();
    log.append("\u001b[32mline 12\u001b[0m of rank 0\n");
    expect(log.find("12 of")).toEqual([0]);
  });

  it("finds words in any case", () => {
    const log = new LogBuffer();
    log.append("ok\nError: x\nerror\n");
    expect(log.find("ERROR")).toEqual([1, 2]);
  });
});

describe("terminal colours", () => {
  it("become styled pieces", () => {
    expect(pieces("\u001b[1;31mbad\u001b[0m good")).toEqual([
      { text: "bad", color: "red", bold: true },
      { text: " good", color: null, bold: false },
    ]);
  });

  it("leave nothing of other sequences", () => {
    expect(stripAnsi("\u001b[2K\u001b]0;title\u0007text")).toBe("text");
  });
});
