import i18next, { type i18n } from "i18next";
import { initReactI18next } from "react-i18next";

import { keep, recall } from "../lib/keep";
import { addCatalog } from "./reasons";

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

/** A browser loads the sentences of the languages that it shows, and no others. */
const SENTENCES = {
  en: () => Promise.all([import("./en.json"), import("../../../vast/common/catalog/en.json")]),
  zh: () => Promise.all([import("./zh.json"), import("../../../vast/common/catalog/zh.json")]),
} as const;

async function load(language: Language): Promise<void> {
  if (i18next.hasResourceBundle(language, "translation")) return;
  const [console, reasons] = await SENTENCES[language]();
  addCatalog(language, reasons.default);
  i18next.addResourceBundle(language, "translation", console.default);
}

export async function chooseLanguage(language: Language): Promise<void> {
  await load(language);
  await i18next.changeLanguage(language);
  keep("language", language);
  document.documentElement.lang = HTML_LANG[language];
}

export async function startI18n(): Promise<i18n> {
  await i18next.use(initReactI18next).init({
    resources: {},
    fallbackLng: false,
    interpolation: { escapeValue: false },
    returnNull: false,
  });
  await chooseLanguage(firstLanguage(recall("language"), navigator.languages));
  return i18next;
}
