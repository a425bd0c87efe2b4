/** Reasons arrive as code + parameters and become a sentence here, from the catalogs that the server uses too. */
export type ReasonLike = {
  code: string;
  params?: Readonly<Record<string, unknown>>;
  evidence?: readonly unknown[];
  message?: string;
};

type Catalog = Readonly<Record<string, string>>;
const catalogs = new Map<string, Catalog>();

export function addCatalog(language: string, catalog: Catalog): void {
  catalogs.set(language, catalog);
}

const MISSING = "–";

function shown(value: unknown): string {
  if (value === null || value === undefined || value === "") return MISSING;
  if (typeof value === "object") return JSON.stringify(value);
  return String(value as string | number | boolean);
}

export const fill = (template: string, params: Readonly<Record<string, unknown>>): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => shown(params[name]));

/** One sentence without the evidence. A code that this console does not know shows the server's message. */
export function sentence(reason: ReasonLike, language: string): string {
  const template = catalogs.get(language)?.[reason.code];
  if (template === undefined) return reason.message ?? reason.code;
  return fill(template, reason.params ?? {});
}

export type Evidence = {
  code: string;
  count: number | null;
  unit: "devices" | "nodes" | null;
  need: string;
  best: string;
  text: string;
};

const isReason = (value: unknown): value is ReasonLike =>
  typeof value === "object" && value !== null && typeof (value as { code?: unknown }).code === "string";

const numberOrNull = (value: unknown): number | null => (typeof value === "number" ? value : null);

/** The finer reasons as rows, the most frequent first. */
export function evidenceRows(reason: ReasonLike, language: string): Evidence[] {
  return (reason.evidence ?? [])
    .filter(isReason)
    .map((item) => {
      const params = item.params ?? {};
      const unit = "devices" in params ? "devices" : "nodes" in params ? "nodes" : null;
      return {
        code: item.code,
        unit,
        count: unit === null ? null : numberOrNull(params[unit]),
        need: "need" in params ? shown(params["need"]) : "",
        best: "best" in params ? shown(params["best"]) : "",
        text: sentence(item, language),
      } satisfies Evidence;
    })
    .sort((a, b) => (b.count ?? 0) - (a.count ?? 0));
}
