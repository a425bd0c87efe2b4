/** The list on screen by other ways: curl, the command line, a file. None of them ever holds a token. */
import type { Page } from "./layout";

export type Filters = Readonly<Record<string, unknown>>;

const MOST_ROWS: Readonly<Record<Page, number>> = { jobs: 500, nodes: 1000, devices: 1000 };

const text = (value: unknown): string => (Array.isArray(value) ? value.join(",") : String(value));

function search(filters: Filters, more: Readonly<Record<string, unknown>> = {}): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries({ ...filters, ...more })) query.set(key, text(value));
  return query.size > 0 ? `?${query.toString()}` : "";
}

export const exportPath = (page: Page, filters: Filters): string => `/api/v1/${page}/export/${search(filters)}`;

export const asCurl = (page: Page, filters: Filters, origin: string): string =>
  `curl -H "Authorization: Bearer $VAST_TOKEN" '${origin}/api/v1/${page}/${search(filters, { page_size: MOST_ROWS[page] })}'`;

/** The words of the command line for each page; it knows no others. */
const COMMANDS: Readonly<Record<Page, { command: string; options: readonly string[] }>> = {
  jobs: { command: "vast job list --limit 500", options: ["state", "queue", "owner", "label", "search"] },
  nodes: { command: "vast node list", options: ["pool", "state", "vendor"] },
  devices: { command: "vast device list", options: ["vendor", "model", "node", "pool", "mode", "health"] },
};

const quoted = (value: string): string =>
  /^[\w./,:@%+-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;

/** What the command line has no word for follows as a comment, so that nobody takes the answer for the same list. */
export function asCli(page: Page, filters: Filters): string {
  const { command, options } = COMMANDS[page];
  const pairs = Object.entries(filters).map(([key, value]) => [key, text(value)] as const);
  const said = pairs.filter(([key]) => options.includes(key)).map(([key, value]) => ` --${key} ${quoted(value)}`);
  const unsaid = pairs.filter(([key]) => !options.includes(key)).map(([key, value]) => `${key}=${value}`);
  const comment = unsaid.length > 0 ? `  # without ${unsaid.join(" ").replaceAll(/\s+/g, " ")}` : "";
  return `${command}${said.join("")}${comment}`;
}
