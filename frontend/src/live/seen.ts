/** What this browser has seen of the event stream, and whether it missed something. */

/** How long an event may be behind the heartbeat that names it: they travel on different paths in the server. */
export const PATIENCE_MS = 1500;

export type Seen = { last: number; behindSince: number | null };

export const sawEvent = (seen: Seen, id: number): Seen => (id <= seen.last ? seen : { last: id, behindSince: null });

/** A heartbeat or hello named the newest event. `missed` = fetch anew. */
export function sawNewest(
  seen: Seen,
  newest: number,
  now: number,
  patienceMs = PATIENCE_MS,
): { seen: Seen; missed: boolean } {
  if (newest <= seen.last) return { seen: { ...seen, behindSince: null }, missed: false };
  if (seen.behindSince === null && patienceMs > 0) return { seen: { ...seen, behindSince: now }, missed: false };
  if (seen.behindSince !== null && now - seen.behindSince < patienceMs) return { seen, missed: false };
  return { seen: { last: newest, behindSince: null }, missed: true };
}

/** What the notice after a gap says: events newer than the last one seen, oldest first. */
export function missedEvents<T extends { id: number }>(recent: readonly T[], lastSeen: number): T[] {
  return recent.filter((event) => event.id > lastSeen).sort((a, b) => a.id - b.id);
}
