import { describe, expect, it } from "vitest";

import { cards, durationParts, gib, milliFromCards, percent, watts } from "./units";

describe("memory", () => {
  it("is shown in GiB without needless decimals", () => {
    expect([gib(81_920), gib(512), gib(6144), gib(1638), gib(2_097_152)]).toEqual(["80", "0.5", "6", "1.6", "2,048"]);
  });
});

describe("cards", () => {
  it("have two decimals", () => {
    expect([cards(1500), cards(0), cards(33)]).toEqual(["1.50", "0.00", "0.03"]);
  });

  it("come back from what was typed", () => {
    expect([
      milliFromCards("1.5"),
      milliFromCards(0),
      milliFromCards(""),
      milliFromCards("x"),
      milliFromCards(-1),
    ]).toEqual([1500, 0, undefined, undefined, undefined]);
  });
});

describe("a percentage", () => {
  it("is whole, except below one", () => {
    expect([percent(0), percent(0.4), percent(33.6)]).toEqual(["0 %", "0.4 %", "34 %"]);
  });
});

describe("power", () => {
  it("turns to kilowatts when it is large", () => {
    expect([watts(820), watts(12_400)]).toEqual(["820 W", "12.4 kW"]);
  });
});

describe("a duration", () => {
  it("keeps its two largest parts", () => {
    expect(durationParts(90_061).map((part) => `${String(part.value)}${part.unit}`)).toEqual(["1d", "1h"]);
  });

  it("leaves out a second part of nothing", () => {
    expect(durationParts(3600).map((part) => `${String(part.value)}${part.unit}`)).toEqual(["1h"]);
  });

  it("is nought seconds for nothing, and for what lies ahead by clock skew", () => {
    expect([durationParts(0), durationParts(-5)]).toEqual([[{ unit: "s", value: 0 }], [{ unit: "s", value: 0 }]]);
  });
});
