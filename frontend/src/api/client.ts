import createClient, { type Middleware } from "openapi-fetch";

import { toProblem, unreachable } from "./problem";
import type { paths } from "./schema";

const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

export function cookie(name: string, jar: string = document.cookie): string | undefined {
  const found = jar.split("; ").find((part) => part.startsWith(`${name}=`));
  return found === undefined ? undefined : decodeURIComponent(found.slice(name.length + 1));
}

async function csrfToken(): Promise<string> {
  const known = cookie("csrftoken");
  if (known !== undefined) return known;
  await fetch("/api/v1/auth/csrf/", { credentials: "same-origin" });
  return cookie("csrftoken") ?? "";
}

type Listener = () => void;
const signedOutListeners = new Set<Listener>();

/** Called whenever the server says that the session is over. */
export function onSignedOut(listener: Listener): () => void {
  signedOutListeners.add(listener);
  return () => signedOutListeners.delete(listener);
}

/** Where an expected 401 is part of the answer. */
const ASKS_WHO = /\/api\/v1\/(me|auth\/login)\/$/;

const session: Middleware = {
  async onRequest({ request }) {
    if (!SAFE.has(request.method)) request.headers.set("X-CSRFToken", await csrfToken());
    return request;
  },
  onResponse({ request, response }) {
    if (response.status === 401 && !(request.method !== "PATCH" && ASKS_WHO.test(new URL(request.url).pathname)))
      for (const listener of signedOutListeners) listener();
  },
  onError({ error }) {
    return unreachable(error);
  },
};

export const api = createClient<paths>({ credentials: "same-origin" });
api.use(session);

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** The data of an answer. Throws ApiProblem for an error answer. */
export async function ok<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw toProblem(response.status, error);
  return data as T;
}

/** The header value that makes a write fail when the object changed since it was read. */
export const ifMatch = (version: number): { "If-Match": string } => ({ "If-Match": `W/"${String(version)}"` });
