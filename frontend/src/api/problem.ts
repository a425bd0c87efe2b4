import type { FieldProblem } from "./types";

/** An error answer of the server (RFC 9457), or a failure to reach it (status 0). */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly fields: readonly FieldProblem[];

  constructor(init: { status: number; code: string; title: string; detail: string; fields?: readonly FieldProblem[] }) {
    super(init.detail || init.title);
    this.name = "ApiProblem";
    this.status = init.status;
    this.code = init.code;
    this.detail = init.detail;
    this.fields = init.fields ?? [];
  }
}

type Body = { code?: unknown; title?: unknown; detail?: unknown; errors?: unknown };

const text = (value: unknown, otherwise: string): string => (typeof value === "string" && value ? value : otherwise);

/** The problem in an error body; bodies of another shape (a proxy's page) become a plain one. */
export function toProblem(status: number, body: unknown): ApiProblem {
  const given: Body = typeof body === "object" && body !== null ? (body as Body) : {};
  return new ApiProblem({
    status,
    code: text(given.code, `http_${String(status)}`),
    title: text(given.title, `HTTP ${String(status)}`),
    detail: text(given.detail, ""),
    fields: Array.isArray(given.errors) ? (given.errors as FieldProblem[]) : [],
  });
}

export const unreachable = (cause: unknown): ApiProblem =>
  new ApiProblem({
    status: 0,
    code: "unreachable",
    title: "unreachable",
    detail: cause instanceof Error ? cause.message : "",
  });

export const isProblem = (error: unknown, status?: number): error is ApiProblem =>
  error instanceof ApiProblem && (status === undefined || error.status === status);
