import type { Queue } from "../../api/types";

/**
 * The classes worth showing: those that queues hold or wait for, and of those with a quota the ones that the pool has
 * (`present`). The ones in use come first.
 */
export function classesOf(queues: readonly Queue[], present: ReadonlySet<string>): string[] {
  const used = new Set<string>();
  const found = new Set<string>();
  for (const queue of queues) {
    for (const quota of queue.quotas) if (present.has(quota.device_class)) found.add(quota.device_class);
    for (const amounts of [queue.held, queue.pending_milli])
      for (const [name, milli] of Object.entries(amounts)) if (milli > 0) used.add(name);
  }
  return [...[...used].sort(), ...[...found].filter((name) => !used.has(name)).sort()];
}

export type QueueRow = { queue: Queue; depth: number; hasChildren: boolean; open: boolean };

/** Depth-first rows without what lies below a closed node. A queue whose parent is not visible is a root. */
export function treeRows(queues: readonly Queue[], closed: ReadonlySet<string>): QueueRow[] {
  const known = new Set(queues.map((queue) => queue.id));
  const children = new Map<string, Queue[]>();
  const roots: Queue[] = [];
  for (const queue of queues) {
    if (queue.parent === null || !known.has(queue.parent)) roots.push(queue);
    else children.set(queue.parent, [...(children.get(queue.parent) ?? []), queue]);
  }
  const rows: QueueRow[] = [];
  const visit = (queue: Queue, depth: number): void => {
    const below = children.get(queue.id) ?? [];
    const open = !closed.has(queue.id);
    rows.push({ queue, depth, hasChildren: below.length > 0, open });
    if (open) for (const child of below) visit(child, depth + 1);
  };
  for (const root of roots) visit(root, 0);
  return rows;
}

export type Bullet = { heldPct: number; guaranteedPct: number | null; limitPct: number | null; over: boolean };

/** Where held, guaranteed and limit stand on a bar that ends at the largest of them; null = none given. */
export function bullet(held: number, guaranteed: number, limit: number | null, scale: number): Bullet {
  const most = Math.max(scale, held, guaranteed, limit ?? 0, 1);
  const at = (value: number): number => (value / most) * 100;
  return {
    heldPct: at(held),
    guaranteedPct: guaranteed > 0 ? at(guaranteed) : null,
    limitPct: limit === null ? null : at(limit),
    over: guaranteed > 0 && held > guaranteed,
  };
}

export const quotaOf = (queue: Queue, deviceClass: string) =>
  queue.quotas.find((quota) => quota.device_class === deviceClass);
