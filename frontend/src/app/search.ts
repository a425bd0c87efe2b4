/** What the address says: scope and time range on every page, filters on each. Bad values are dropped, not errors. */

export const RANGES = { "15m": 900, "1h": 3600, "6h": 21_600, "24h": 86_400 } as const;
export type Range = keyof typeof RANGES;
export const DEFAULT_RANGE: Range = "1h";

type Raw = Readonly<Record<string, unknown>>;

const text = (value: unknown): string | undefined => {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
};

function pick<const Keys extends readonly string[]>(raw: Raw, keys: Keys): { [K in Keys[number]]?: string } {
  const found: Record<string, string> = {};
  for (const key of keys) {
    const value = text(raw[key]);
    if (value !== undefined) found[key] = value;
  }
  return found as { [K in Keys[number]]?: string };
}

export type ScopeSearch = { pool?: string; tenant?: string; range?: Range };

export function scopeSearch(raw: Raw): ScopeSearch {
  const { range, ...scope } = pick(raw, ["pool", "tenant", "range"]);
  return range !== undefined && range in RANGES ? { ...scope, range: range as Range } : scope;
}

export const SCOPE_KEYS = ["pool", "tenant", "range"] as const;

export const nodesSearch = (raw: Raw) => pick(raw, ["state", "vendor", "search", "ordering", "cordoned"]);
export const devicesSearch = (raw: Raw) =>
  pick(raw, ["vendor", "model", "mode", "health", "load", "search", "ordering", "group", "open", "part", "cordoned"]);
export const deviceSearch = (raw: Raw) => pick(raw, ["part"]);
export const jobsSearch = (raw: Raw) =>
  pick(raw, ["tab", "state", "queue", "owner", "search", "label", "array", "ordering"]);
export const jobSearch = (raw: Raw) => pick(raw, ["tab", "task"]);
export const newJobSearch = (raw: Raw) => pick(raw, ["from", "template", "queue"]);
export const queuesSearch = (raw: Raw) => pick(raw, ["class", "open"]);
export const signInSearch = (raw: Raw) => pick(raw, ["next"]);

/** Only addresses of this console: `next` must not lead elsewhere. */
export function safeNext(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])/.test(next) ? next : "/";
}

/** A change to the search of a page; empty values leave the address. */
export function changed<T extends object>(search: T, change: { [K in keyof T]?: T[K] | undefined | null | "" }): T {
  const merged: Record<string, unknown> = { ...search, ...change };
  return Object.fromEntries(
    Object.entries(merged).filter(([, value]) => value !== undefined && value !== null && value !== ""),
  ) as T;
}
