import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import reasonsEn from "../../../vast/common/catalog/en.json";
import reasonsZh from "../../../vast/common/catalog/zh.json";
import { JOB_STATES, TASK_STATES } from "../test/states";
import en from "./en.json";
import { firstLanguage } from "./index";
import zh from "./zh.json";

type Tree = { [key: string]: string | Tree };

function flat(tree: Tree, prefix = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(tree)) {
    const path = prefix === "" ? key : `${prefix}.${key}`;
    if (typeof value === "string") found.set(path, value);
    else for (const [below, text] of flat(value, path)) found.set(below, text);
  }
  return found;
}

/** English has one form more than Chinese. */
const stem = (key: string): string => key.replace(/_(one|other)$/, "");
const placeholders = (text: string): string[] => [...new Set(text.match(/\{\{?\w+\}?\}/g) ?? [])].sort();

const english = flat(en);
const chinese = flat(zh);
const known = new Set([...english.keys()].map(stem));

function sources(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return sources(path);
    return /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name) && name !== "schema.ts" ? [path] : [];
  });
}

const code = sources(join(process.cwd(), "src"))
  .map((path) => readFileSync(path, "utf8"))
  .join("\n");

describe("the two languages", () => {
  it("have the same keys", () => {
    const left = [...known].sort();
    const right = [...new Set([...chinese.keys()].map(stem))].sort();
    expect(right).toEqual(left);
  });

  it("have the same placeholders in every text", () => {
    const different = [...chinese].filter(([key, text]) => {
      const other = english.get(key) ?? english.get(stem(key)) ?? "";
      return placeholders(text).join() !== placeholders(other).join();
    });
    expect(different).toEqual([]);
  });

  it("leave no text empty", () => {
    expect([...english, ...chinese].filter(([, text]) => text.trim() === "")).toEqual([]);
  });

  it("give every plural both of its English forms and its Chinese one", () => {
    const plurals = [...english.keys()].filter((key) => key.endsWith("_one")).map(stem);
    expect(plurals.filter((key) => !english.has(`${key}_other`) || !chinese.has(`${key}_other`))).toEqual([]);
  });
});

describe("the code", () => {
  it("uses only texts that exist", () => {
    const used = [...code.matchAll(/\bt\(\s*"([\w.]+)"/g), ...code.matchAll(/\? "([a-z]\w*\.[\w.]+)"\s*:/g)].map(
      (match) => match[1],
    );
    const missing = used.filter((key) => key !== undefined && !known.has(key));
    expect(missing).toEqual([]);
  });

  it("uses every text that exists", () => {
    const prefixes = [...code.matchAll(/`([a-zA-Z.]+\.)\$\{/g)].map((match) => match[1] ?? "");
    const quoted = new Set([...code.matchAll(/"([a-zA-Z]\w*(?:\.\w+)+)"/g)].map((match) => match[1]));
    const listed = ["load.", "groupBy."];
    const unused = [...known].filter(
      (key) => !quoted.has(key) && ![...prefixes, ...listed].some((prefix) => key.startsWith(prefix)),
    );
    expect(unused).toEqual([]);
  });

  it("has a word for every state that the server knows", () => {
    const missing = [
      ...JOB_STATES,
      ...TASK_STATES,
      "ready",
      "unreachable",
      "healthy",
      "unhealthy",
      "unknown",
      "ended",
    ].filter((state) => !known.has(`state.${state}`));
    expect(missing).toEqual([]);
  });
});

describe("the reason catalogs", () => {
  it("have the same codes and placeholders in both languages", () => {
    const left = Object.entries(reasonsEn as Record<string, string>).map(([key, text]) =>
      [key, ...placeholders(text)].join(" "),
    );
    const right = Object.entries(reasonsZh as Record<string, string>).map(([key, text]) =>
      [key, ...placeholders(text)].join(" "),
    );
    expect(right.sort()).toEqual(left.sort());
  });
});

describe("the first language", () => {
  it("is the one chosen before", () => {
    expect(firstLanguage("zh", ["en-GB"])).toBe("zh");
  });

  it("is Chinese for a browser that prefers any Chinese", () => {
    expect(firstLanguage(null, ["zh-TW", "en"])).toBe("zh");
  });

  it("is English otherwise", () => {
    expect(firstLanguage("xx", ["fr"])).toBe("en");
  });
});
