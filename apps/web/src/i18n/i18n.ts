/**
 * The languages of the page. Keys are checked by the compiler against the English texts, both texts against each other by a
 * test. Texts of a model, a package or a project are never translated.
 */
import { createInstance, type i18n as I18n } from 'i18next';
import { en } from './texts/en/en.ts';
import { zhCn } from './texts/zh-CN/zh-cn.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: typeof en };
  }
}

export const LANGUAGES = ['en', 'zh-CN'] as const;
export type Language = (typeof LANGUAGES)[number];

export const i18n: I18n = createInstance({
  resources: { en: { translation: en }, 'zh-CN': { translation: zhCn } },
  lng: 'en',
  fallbackLng: 'en',
  // React escapes what it shows.
  interpolation: { escapeValue: false },
  returnNull: false,
  // The texts are here already: the first paint has them.
  initAsync: false,
});

void i18n.init();

export function setLanguage(language: Language): void {
  void i18n.changeLanguage(language);
  document.documentElement.lang = language;
}

/** Chinese for whoever asks for any Chinese before English; English for everybody else. */
export function detectLanguage(wanted: readonly string[]): Language {
  const first = wanted.find((tag) => /^(?:en|zh)\b/i.test(tag));
  return first !== undefined && /^zh\b/i.test(first) ? 'zh-CN' : 'en';
}

/** The language as the browser's own region writes it: the day comes before the month for some who read English. */
export function toLocale(language: string, wanted: readonly string[]): string {
  const own = writingOf(language);
  return wanted.find((tag) => writingOf(tag) === own) ?? language;
}

/** Language and script, such as `zh-Hans`. What a browser asks for need not be a tag at all. */
function writingOf(tag: string): string | undefined {
  try {
    const { language, script } = new Intl.Locale(tag).maximize();
    return `${language}-${script}`;
  } catch {
    return undefined;
  }
}
