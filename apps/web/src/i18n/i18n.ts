/**
 * The languages of the page. Keys are checked by the compiler against the English texts, both texts against each other by a
 * test. Texts of a model, a package or a project are never translated.
 */
import { type BackendModule, createInstance, type i18n as I18n } from 'i18next';
import { en } from './texts/en/en.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: typeof en };
  }
}

export const LANGUAGES = ['en', 'zh-CN'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Texts of other languages than English, loaded when they are chosen. */
const otherTexts: BackendModule = {
  type: 'backend',
  init: () => undefined,
  read(language, _, done) {
    if (language !== 'zh-CN') return done(null, {});
    import('./texts/zh-CN/zh-cn.ts').then(
      ({ zhCn }) => done(null, zhCn),
      (error: Error) => done(error, false),
    );
  },
};

export const i18n: I18n = createInstance({
  resources: { en: { translation: en } },
  partialBundledLanguages: true,
  lng: 'en',
  fallbackLng: 'en',
  // React escapes what it shows.
  interpolation: { escapeValue: false },
  returnNull: false,
  // English is here already: the first paint has it.
  initAsync: false,
});

void i18n.use(otherTexts).init();

/** Resolves when the texts are there. */
export async function setLanguage(language: Language): Promise<void> {
  document.documentElement.lang = language;
  await i18n.changeLanguage(language);
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
