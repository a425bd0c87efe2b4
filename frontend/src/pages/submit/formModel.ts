/** Reading an unfinished document: whatever is there may be of any shape until the server has checked it. */

type Loose = Readonly<Record<string, unknown>>;

export const asMap = (value: unknown): Loose =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Loose) : {};
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const asText = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
export const asNumber = (value: unknown): number | "" => (typeof value === "number" ? value : "");

export type Kind = "shell" | "arguments" | "simulate";

export function kindOf(group: Loose): Kind {
  if (group["simulate"] !== undefined && group["simulate"] !== null) return "simulate";
  return Array.isArray(group["command"]) ? "arguments" : "shell";
}

export type Share = "whole" | "slice" | "none";

/** Which kind of share a request asks for; the server's rules for what is left out. */
export function shareOf(request: Loose): Share {
  if (request["devices"] === 0) return "none";
  if (request["exclusive"] === true) return "whole";
  const sliced = ["cores", "memory_mib", "memory_percent"].some(
    (key) => request[key] !== undefined && request[key] !== null,
  );
  return sliced || request["exclusive"] === false ? "slice" : "whole";
}

/** The request with another kind of share; what belongs to the former kind leaves. */
export function withShare(request: Loose, share: Share): Record<string, unknown> {
  const rest = Object.fromEntries(
    Object.entries(request).filter(
      ([key]) => !["cores", "memory_mib", "memory_percent", "exclusive", "devices"].includes(key),
    ),
  );
  const devices = typeof request["devices"] === "number" && request["devices"] > 0 ? request["devices"] : 1;
  if (share === "none") return { ...rest, devices: 0 };
  if (share === "whole") return { ...rest, devices, exclusive: true };
  return { ...rest, devices, cores: 25, memory_mib: 4096 };
}

export const newGroup = (names: readonly string[]): Record<string, unknown> => {
  let number = names.length + 1;
  while (names.includes(`group-${String(number)}`)) number += 1;
  return {
    name: `group-${String(number)}`,
    replicas: 1,
    command: "sleep 60",
    request: { cores: 25, memory_mib: 4096 },
  };
};
