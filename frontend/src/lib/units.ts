/** Numbers as people read them. Memory is MiB in the API and GiB on screen; quota is milli-cards and cards. */

const formats = new Map<string, Intl.NumberFormat>();

function format(language: string, least: number, most: number): Intl.NumberFormat {
  const key = `${language}/${String(least)}/${String(most)}`;
  let found = formats.get(key);
  if (found === undefined) {
    found = new Intl.NumberFormat(language, { minimumFractionDigits: least, maximumFractionDigits: most });
    formats.set(key, found);
  }
  return found;
}

export const integer = (value: number, language = "en"): string => format(language, 0, 0).format(value);

/** 81920 -> "80"; below 10 GiB one decimal is kept when there is one. */
export function gib(mib: number, language = "en"): string {
  const value = mib / 1024;
  return format(language, 0, value < 100 ? (value < 1 ? 2 : 1) : 0).format(value);
}

/** 1500 milli-cards -> "1.50". */
export const cards = (milli: number, language = "en"): string => format(language, 2, 2).format(milli / 1000);

export const percent = (value: number, language = "en"): string =>
  `${format(language, 0, value > 0 && value < 1 ? 1 : 0).format(value)} %`;

/** 820 -> "820 W", 12400 -> "12.4 kW". */
export const watts = (value: number, language = "en"): string =>
  value >= 10_000 ? `${format(language, 1, 1).format(value / 1000)} kW` : `${format(language, 0, 0).format(value)} W`;

export type DurationPart = { unit: "d" | "h" | "m" | "s"; value: number };

/** The two largest parts of a duration: 3725 s -> 1 h 2 m. */
export function durationParts(seconds: number): DurationPart[] {
  const whole = Math.max(0, Math.floor(seconds));
  const parts: DurationPart[] = [
    { unit: "d", value: Math.floor(whole / 86_400) },
    { unit: "h", value: Math.floor(whole / 3600) % 24 },
    { unit: "m", value: Math.floor(whole / 60) % 60 },
    { unit: "s", value: whole % 60 },
  ];
  const first = parts.findIndex((part) => part.value > 0);
  if (first === -1) return [{ unit: "s", value: 0 }];
  return parts.slice(first, first + 2).filter((part, index) => index === 0 || part.value > 0);
}

/** Cards as typed ("1.5") to milli-cards; undefined = not a number that quota can hold. */
export function milliFromCards(typed: string | number): number | undefined {
  if (typed === "") return undefined;
  const value = Number(typed);
  return Number.isFinite(value) && value >= 0 ? Math.round(value * 1000) : undefined;
}
