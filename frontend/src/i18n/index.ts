import i18next, { type i18n } from "i18next";
import { initReactI18next } from "react-i18next";

import { keep, recall } from "../lib/keep";
import en from "./en.json";
import zh from "./zh.json";

export const LANGUAGES = ["en", "zh"] as const;
export type Language = (typeof LANGUAGES)[number];

const isLanguage = (value: string | null): value is Language => value === "en" || value === "zh";

/** What was chosen here before, else what the browser prefers. */
export function firstLanguage(chosen: string | null, preferred: readonly string[]): Language {
  if (isLanguage(chosen)) return chosen;
  return preferred[0]?.toLowerCase().startsWith("zh") ? "zh" : "en";
}

/** `lang` tells screen readers how to speak and browsers which Chinese glyphs to draw. */
const HTML_LANG: Record<Language, string> = { en: "en", zh: "zh-CN" };

export function startI18n(): i18n {
  const language = firstLanguage(recall("language"), navigator.languages);
  void i18next.use(initReactI18next).init({
    resources: { en: { translation: en }, zh: { translation: zh } },
    lng: language,
    fallbackLng: false,
    interpolation: { escapeValue: false },
    returnNull: false,
    initAsync: false,
  });
  document.documentElement.lang = HTML_LANG[language];
  i18next.on("languageChanged", (next) => {
    if (!isLanguage(next)) return;
    keep("language", next);
    document.documentElement.lang = HTML_LANG[next];
  });
  return i18next;
}
