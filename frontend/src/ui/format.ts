import { useMemo } from "react";
import { useTranslation } from "react-i18next";

import { cards, durationParts, gib, integer, percent, watts } from "../lib/units";

export type Formats = {
  language: string;
  integer: (value: number) => string;
  gib: (mib: number) => string;
  cards: (milli: number) => string;
  percent: (value: number) => string;
  watts: (value: number) => string;
  duration: (seconds: number) => string;
  dateTime: (date: Date) => string;
  time: (date: Date) => string;
  minute: (date: Date) => string;
};

/** Formatters of the chosen language. */
export function useFormats(): Formats {
  const { t, i18n } = useTranslation();
  const language = i18n.language;
  return useMemo(() => {
    const dateTime = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" });
    const minute = new Intl.DateTimeFormat(language, { timeStyle: "short", hour12: false });
    const time = new Intl.DateTimeFormat(language, { timeStyle: "medium", hour12: false });
    return {
      language,
      integer: (value) => integer(value, language),
      gib: (mib) => gib(mib, language),
      cards: (milli) => cards(milli, language),
      percent: (value) => percent(value, language),
      watts: (value) => watts(value, language),
      duration: (seconds) =>
        durationParts(seconds)
          .map((part) => t(`unit.${part.unit}`, { n: part.value }))
          .join(" "),
      dateTime: (date) => dateTime.format(date),
      time: (date) => time.format(date),
      minute: (date) => minute.format(date),
    };
  }, [language, t]);
}
