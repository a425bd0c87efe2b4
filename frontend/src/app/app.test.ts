// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";

import { cookie } from "../api/client";
import { toProblem } from "../api/problem";
import { cursorOf } from "../api/queries";
import { changed, safeNext, scopeSearch } from "./search";
import { isTyping, nameOf } from "./shortcuts";

describe("the address", () => {
  it("drops what is not a time range", () => {
    expect(scopeSearch({ pool: "p", range: "9y" })).toEqual({ pool: "p" });
  });

  it("keeps names that look like numbers", () => {
    expect(scopeSearch({ pool: 42, range: "6h" })).toEqual({ pool: "42", range: "6h" });
  });

  it("loses a filter that was emptied", () => {
    expect(changed<{ a?: string; b?: string }>({ a: "1", b: "2" }, { a: "", b: "3" })).toEqual({ b: "3" });
  });

  it("leads back to this console only", () => {
    expect(["/jobs?tab=all", "//evil", "/\\evil", "https://evil", undefined].map(safeNext)).toEqual([
      "/jobs?tab=all",
      "/",
      "/",
      "/",
      "/",
    ]);
  });
});

describe("shortcuts", () => {
  it("know a sequence while it is fresh", () => {
    expect([nameOf("o", 1000, 500), nameOf("o", 9000, 500)]).toEqual(["g o", "o"]);
  });

  it("are off while typing", () => {
    const field = document.createElement("textarea");
    expect([isTyping(field), isTyping(document.createElement("div"))]).toEqual([true, false]);
  });
});

describe("the server's answers", () => {
  it("tell the cookie that writes need", () => {
    expect(cookie("csrftoken", "a=1; csrftoken=x%3D; b=2")).toBe("x=");
    expect(cookie("csrftoken", "xcsrftoken=1")).toBeUndefined();
  });

  it("tell the next page's cursor", () => {
    expect([cursorOf("http://h/api/v1/jobs/?cursor=cD0%3D&page_size=100"), cursorOf(null)]).toEqual(["cD0=", null]);
  });

  it("become problems also when a proxy wrote them", () => {
    const problem = toProblem(502, "<html>");
    expect([problem.status, problem.code, problem.fields]).toEqual([502, "http_502", []]);
  });

  it("keep the fields that they name", () => {
    const errors = [{ field: "queue", code: "unknown", detail: "no queue" }];
    expect(toProblem(422, { code: "invalid", title: "t", detail: "d", errors }).fields).toEqual(errors);
  });
});
