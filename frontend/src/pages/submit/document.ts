/** The job document as YAML text, which is the one truth of the submit page; the form reads and edits this text. */
import { type Document, isMap, isNode, isSeq, LineCounter, parseDocument, stringify, YAMLMap } from "yaml";

import type { FieldProblem, JobDocumentRequest } from "../../api/types";

export type Path = readonly (string | number)[];
export type Mark = { line: number; message: string };
export type Parsed =
  { ok: true; value: unknown; document: Document.Parsed; lines: LineCounter } | { ok: false; marks: Mark[] };

const LAYOUT = { lineWidth: 110, flowCollectionPadding: false } as const;
const OPTIONS = { prettyErrors: false, uniqueKeys: true } as const;
/** As the server: aliases may not blow a small text up. */
const MOST_ALIASES = 100;

export function parse(text: string): Parsed {
  const lines = new LineCounter();
  const document = parseDocument(text, { ...OPTIONS, lineCounter: lines });
  if (document.errors.length > 0)
    return {
      ok: false,
      marks: document.errors.map((error) => ({ line: lines.linePos(error.pos[0]).line, message: error.message })),
    };
  try {
    return { ok: true, value: document.toJS({ maxAliasCount: MOST_ALIASES }) as unknown, document, lines };
  } catch (error) {
    return { ok: false, marks: [{ line: 1, message: error instanceof Error ? error.message : "" }] };
  }
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (typeof value === "object" && Object.keys(value).length === 0);

/**
 * The text with one value changed; comments and order stay. An empty value leaves the text, as the server's default
 * stands for it. A text that cannot be read stays as it is.
 */
export function edit(text: string, path: Path, value: unknown): string {
  const parsed = parse(text);
  if (!parsed.ok) return text;
  const { document } = parsed;
  if (!isMap(document.contents)) document.contents = new YAMLMap() as unknown as typeof document.contents;
  if (isEmpty(value)) {
    document.deleteIn(path);
    pruneEmpty(document, path.slice(0, -1));
  } else {
    openWay(document, path);
    // A value put into the scalar that is there leaves the comment behind it.
    document.setIn(path, typeof value === "object" ? document.createNode(value) : value);
  }
  return document.toString(LAYOUT);
}

/** Mappings on the way that somebody left empty (`request:`) become mappings, so that a value fits in. */
function openWay(document: Document, path: Path): void {
  for (let depth = 1; depth < path.length; depth += 1) {
    const way = path.slice(0, depth);
    const found: unknown = document.getIn(way, true);
    if (isMap(found) || isSeq(found)) continue;
    const next = path[depth];
    document.setIn(way, document.createNode(typeof next === "number" ? [] : {}));
  }
}

function pruneEmpty(document: Document, path: Path): void {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const way = path.slice(0, depth);
    const found: unknown = document.getIn(way, true);
    // Entries of a list keep their place: the others are counted from it.
    if (!isMap(found) || found.items.length > 0 || typeof way.at(-1) === "number") return;
    document.deleteIn(way);
  }
}

/** "groups[0].request.cores" -> ["groups", 0, "request", "cores"]. */
export function pathOf(field: string): (string | number)[] {
  const parts: (string | number)[] = [];
  for (const match of field.matchAll(/([^.[\]]+)|\[(\d+)\]/g))
    parts.push(match[2] === undefined ? (match[1] ?? "") : Number(match[2]));
  return parts;
}

export const fieldOf = (path: Path): string =>
  path.reduce<string>(
    (field, part) => (typeof part === "number" ? `${field}[${String(part)}]` : field ? `${field}.${part}` : part),
    "",
  );

/** The line of the field, or of the nearest part around it that is there. */
export function lineOf(text: string, field: string): number {
  const parsed = parse(text);
  if (!parsed.ok) return 1;
  const path = pathOf(field);
  for (let depth = path.length; depth > 0; depth -= 1) {
    const way = path.slice(0, depth);
    const at = keyStart(parsed.document, way) ?? start(parsed.document.getIn(way, true));
    if (at !== undefined) return parsed.lines.linePos(at).line;
  }
  return 1;
}

const start = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined);

function keyStart(document: Document, path: Path): number | undefined {
  const parent: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const name = path.at(-1);
  if (!isMap(parent)) return undefined;
  const pair = parent.items.find((item) => String(isNode(item.key) ? item.key.toJSON() : item.key) === String(name));
  return start(pair?.key);
}

export const marksOf = (text: string, problems: readonly FieldProblem[]): Mark[] =>
  problems.map((problem) => ({
    line: problem.field === "" ? 1 : lineOf(text, problem.field),
    message: problem.field === "" ? problem.detail : `${problem.field}: ${problem.detail}`,
  }));

/** A stored document as somebody would have written it: without what is the default anyway. */
export function toYaml(document: JobDocumentRequest): string {
  return stringify(lean(document), LAYOUT);
}

const DEFAULTS: Readonly<Record<string, unknown>> = {
  priority: 0,
  array: 1,
  held: false,
  replicas: 1,
  preemptible: true,
  may_evict: true,
  movable: false,
};
const REQUEST_DEFAULTS: Readonly<Record<string, unknown>> = {
  cpu_millis: 0,
  host_memory_mib: 0,
  isolation: "fixed",
};

function lean(value: unknown, within = ""): unknown {
  if (Array.isArray(value)) return value.map((each) => lean(each, within));
  if (typeof value !== "object" || value === null) return value;
  const defaults = within === "request" ? REQUEST_DEFAULTS : within === "env" || within === "labels" ? {} : DEFAULTS;
  const kept: [string, unknown][] = [];
  for (const [key, each] of Object.entries(value)) {
    const small = lean(each, key);
    if (isEmpty(small) || (key in defaults && defaults[key] === small)) continue;
    if (within === "strategy" && small === "pack") continue;
    // These two follow from whether there are cores.
    if (within === "request" && key === "sharing" && (small === "fixed-ratio" || small === "best-effort")) continue;
    kept.push([key, small]);
  }
  const result = Object.fromEntries(kept);
  // `exclusive: false` follows from a slice's own amounts.
  if (
    within === "request" &&
    result["exclusive"] === false &&
    (result["cores"] || result["memory_mib"] || result["memory_percent"])
  )
    delete result["exclusive"];
  return result;
}
