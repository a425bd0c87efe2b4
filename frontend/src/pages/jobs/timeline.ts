import type { Job, JobEvent } from "../../api/types";
import { isEnded } from "../../ui/states";

export type Span = { state: string; from: number; until: number | null; seconds: number };

/** The states a job went through and how long it was in each; the last one goes on until now. */
export function buildTimeline(
  job: Pick<Job, "submitted_at" | "state" | "ended_at">,
  events: readonly JobEvent[],
  now: number,
): Span[] {
  const moves = events.filter((event) => event.kind === "state" && event.to_state !== "").sort((a, b) => a.id - b.id);
  const starts: { state: string; at: number }[] = [];
  const submitted = Date.parse(job.submitted_at);
  const first = moves[0];
  if (first === undefined) starts.push({ state: job.state, at: submitted });
  else if (first.from_state !== "") starts.push({ state: first.from_state, at: submitted });
  for (const move of moves) starts.push({ state: move.to_state, at: Date.parse(move.at) });
  return starts.map(({ state, at }, index) => {
    const next = starts[index + 1]?.at;
    const until = next ?? (isEnded(state) ? at : null);
    return { state, from: at, until, seconds: Math.max(0, ((until ?? now) - at) / 1000) };
  });
}
