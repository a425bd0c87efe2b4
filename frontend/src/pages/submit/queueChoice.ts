/** Which queue a new job is offered, and what is wrong with one that is not there. */
import type { FieldProblem, Me, Queue } from "../../api/types";
import { asMap, asText } from "./formModel";

/** Where the queue that this person used last is kept in this browser. */
export const lastQueueKey = (me: Pick<Me, "id">): string => `queue.${me.id}`;

/** The one last used, else the first open one of the person's own tenants, else the first open one. */
export function firstQueue(leaves: readonly Queue[], last: string | null, me: Pick<Me, "tenants">): string {
  const own = new Set(me.tenants.map((tenant) => tenant.id));
  const open = leaves.filter((queue) => queue.state === "open");
  const found =
    leaves.find((queue) => queue.path === last) ??
    open.find((queue) => queue.tenant !== null && own.has(queue.tenant.id)) ??
    open[0] ??
    leaves[0];
  return found?.path ?? "";
}

/**
 * The server looks for the queue only once the document itself is right. A reader wants to hear of everything at once,
 * so a queue that is none of those that take jobs is named beside the other fields.
 */
export function withQueueProblem(
  fields: readonly FieldProblem[],
  document: unknown,
  leaves: readonly Queue[],
  detail: string,
): readonly FieldProblem[] {
  const queue = asText(asMap(document)["queue"]);
  const told = fields.some((each) => each.field === "queue");
  if (fields.length === 0 || told || queue === "" || leaves.some((leaf) => leaf.path === queue)) return fields;
  return [...fields, { field: "queue", code: "unknown", detail }];
}
