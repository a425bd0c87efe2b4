import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";

import { edit, fieldOf, lineOf, marksOf, parse, pathOf, toYaml } from "./document";
import { kindOf, newGroup, shareOf, withShare } from "./formModel";
import { TEMPLATES, templateText } from "./templates";

const TEXT = `# the nightly run
name: train # keep me
queue: demo/research
groups:
  - name: main
    command: ["python3", "x.py"]
    request:
      cores: 25
      memory_mib: 4096
`;

const valueOf = (text: string): unknown => {
  const parsed = parse(text);
  return parsed.ok ? parsed.value : parsed.marks;
};

describe("an edit in the form", () => {
  it("changes the text and keeps comments and order", () => {
    const next = edit(TEXT, ["name"], "eval");
    expect(next).toContain("# the nightly run");
    expect(next).toContain("name: eval # keep me");
    expect(next.indexOf("queue")).toBeLessThan(next.indexOf("groups"));
  });

  it("opens the way to a value that has none yet", () => {
    const next = edit(TEXT, ["groups", 0, "strategy", "node"], "spread");
    expect(valueOf(next)).toMatchObject({ groups: [{ strategy: { node: "spread" } }] });
  });

  it("takes an emptied value out, and what it leaves empty", () => {
    const one = edit(TEXT, ["groups", 0, "strategy", "node"], "spread");
    expect(edit(one, ["groups", 0, "strategy", "node"], undefined)).not.toContain("strategy");
  });

  it("adds and removes groups without touching the others", () => {
    const two = edit(TEXT, ["groups", 1], newGroup(["main"]));
    expect((valueOf(two) as { groups: unknown[] }).groups).toHaveLength(2);
    expect(valueOf(edit(two, ["groups", 1], undefined))).toEqual(valueOf(TEXT));
  });

  it("starts a document in an empty text", () => {
    expect(valueOf(edit("", ["name"], "x"))).toEqual({ name: "x" });
  });

  it("leaves a text alone that cannot be read", () => {
    expect(edit("name: [", ["name"], "x")).toBe("name: [");
  });

  it("fills a mapping that somebody left empty", () => {
    expect(valueOf(edit("groups:\n  - name: a\n    request:\n", ["groups", 0, "request", "cores"], 5))).toEqual({
      groups: [{ name: "a", request: { cores: 5 } }],
    });
  });
});

describe("a text that is no YAML", () => {
  it("is marked at its line", () => {
    const parsed = parse("name: a\nqueue: [b\n");
    expect(parsed.ok).toBe(false);
    expect(parsed.ok ? [] : parsed.marks.map((mark) => mark.line >= 2)).toContain(true);
  });

  it("is refused when its aliases multiply", () => {
    const bomb = [
      "a: &a [x, x, x, x, x, x, x, x, x]",
      ...["b", "c", "d", "e"].map(
        (key, index) =>
          `${key}: &${key} [${Array(9)
            .fill(`*${"abcd"[index] ?? "a"}`)
            .join(", ")}]`,
      ),
    ];
    expect(parse(bomb.join("\n")).ok).toBe(false);
  });
});

describe("a field named by the server", () => {
  it("is found by its path and named again the same", () => {
    expect(pathOf("groups[0].request.cores")).toEqual(["groups", 0, "request", "cores"]);
    expect(fieldOf(["groups", 0, "request", "cores"])).toBe("groups[0].request.cores");
  });

  it("is marked at its own line", () => {
    expect(lineOf(TEXT, "groups[0].request.cores")).toBe(8);
  });

  it("is marked at the nearest part when it is not in the text", () => {
    expect(lineOf(TEXT, "groups[0].request.selector[0].model")).toBe(7);
  });

  it("keeps its name in the mark", () => {
    expect(marksOf(TEXT, [{ field: "queue", code: "unknown", detail: "no queue" }])).toEqual([
      { line: 3, message: "queue: no queue" },
    ]);
  });
});

describe("a stored document", () => {
  it("is written without what is the default anyway", () => {
    const text = toYaml({
      name: "a",
      queue: "q",
      priority: 0,
      array: 1,
      held: false,
      max_runtime: null,
      preemptible: true,
      may_evict: true,
      movable: false,
      checkpoint: null,
      topology: null,
      labels: {},
      groups: [
        {
          name: "main",
          replicas: 1,
          min_replicas: null,
          topology: null,
          command: "sleep 1",
          env: { ZERO: "0" },
          working_dir: null,
          simulate: null,
          request: {
            devices: 1,
            cores: 10,
            memory_mib: 4096,
            memory_percent: null,
            exclusive: false,
            selector: [],
            cpu_millis: 0,
            host_memory_mib: 0,
            isolation: "fixed",
            partition: null,
            sharing: "fixed-ratio",
            link: null,
          },
          strategy: { node: "pack", device: "pack" },
        },
      ],
    });
    expect(parseYaml(text)).toEqual({
      name: "a",
      queue: "q",
      groups: [
        { name: "main", command: "sleep 1", env: { ZERO: "0" }, request: { devices: 1, cores: 10, memory_mib: 4096 } },
      ],
    });
  });
});

describe("the form's reading", () => {
  it("knows a slice, a whole card and no card", () => {
    expect([shareOf({}), shareOf({ cores: 5 }), shareOf({ exclusive: true }), shareOf({ devices: 0 })]).toEqual([
      "whole",
      "slice",
      "whole",
      "none",
    ]);
  });

  it("drops what belongs to the former kind of share", () => {
    expect(withShare({ cores: 5, memory_mib: 1, cpu_millis: 100 }, "whole")).toEqual({
      cpu_millis: 100,
      devices: 1,
      exclusive: true,
    });
  });

  it("knows the three kinds of command", () => {
    expect([kindOf({ command: "a" }), kindOf({ command: ["a"] }), kindOf({ simulate: { seconds: 1 } })]).toEqual([
      "shell",
      "arguments",
      "simulate",
    ]);
  });

  it.each(TEMPLATES)("gets a readable document from the template %s", (template) => {
    expect(valueOf(templateText(template, "demo/serving"))).toMatchObject({ queue: "demo/serving" });
  });
});
