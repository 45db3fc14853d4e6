/**
 * The languages of the page. The compiler checks keys against the English texts; a test checks the languages against each other.
 * Texts of a model, a package or a project are never translated.
 */
import type { Language } from '@crewagent/protocol/languages';
import type { fileUse } from '@crewagent/protocol/texts/en/file-use';
import { type BackendModule, createInstance, type i18n as I18n, type ResourceKey } from 'i18next';
import type { author } from './texts/en/author.ts';
import type { bundles } from './texts/en/bundles.ts';
import type { context } from './texts/en/context.ts';
import { en } from './texts/en/en.ts';
import type { fields } from './texts/en/fields.ts';
import type { forks } from './texts/en/forks.ts';
import type { machine } from './texts/en/machine.ts';
import type { models } from './texts/en/models.ts';
import type { overview } from './texts/en/overview.ts';
import type { packages } from './texts/en/packages.ts';
import type { replay } from './texts/en/replay.ts';
import type { settings } from './texts/en/settings.ts';
import type { team } from './texts/en/team.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: {
      translation: typeof en &
        typeof author &
        typeof bundles &
        typeof context &
        typeof fileUse &
        typeof fields &
        typeof forks &
        typeof models &
        typeof overview &
        typeof packages &
        typeof replay &
        typeof machine &
        typeof settings &
        typeof team;
    };
  }
}

/** Loads the texts of a language when it is chosen; English is part of the page. */
const LOADERS: Readonly<Record<Exclude<Language, 'en'>, () => Promise<ResourceKey>>> = {
  'zh-CN': async () => (await import('./texts/zh-CN/zh-cn.ts')).zhCn,
};

const otherTexts: BackendModule = {
  type: 'backend',
  init: () => undefined,
  read(language, _, done) {
    if (!Object.hasOwn(LOADERS, language)) return done(null, {});
    LOADERS[language as keyof typeof LOADERS]().then(
      (texts) => done(null, texts),
      (error: Error) => done(error, false),
    );
  },
};

export const i18n: I18n = createInstance({
  resources: { en: { translation: en } },
  partialBundledLanguages: true,
  lng: 'en',
  fallbackLng: 'en',
  // React escapes the texts it renders.
  interpolation: { escapeValue: false },
  returnNull: false,
  // English is bundled: the first paint can use it.
  initAsync: false,
});

void i18n.use(otherTexts).init();

/** Resolves when the texts are loaded. */
export async function setLanguage(language: Language): Promise<void> {
  document.documentElement.lang = language;
  await i18n.changeLanguage(language);
}

/** The language with the browser's region: en-GB puts the day before the month, en-US does not. */
export function toLocale(language: string, wanted: readonly string[]): string {
  const own = writingOf(language);
  return wanted.find((tag) => writingOf(tag) === own) ?? language;
}

/** Language and script, such as `zh-Hans`. Undefined if the browser's value is not a valid tag. */
function writingOf(tag: string): string | undefined {
  try {
    const { language, script } = new Intl.Locale(tag).maximize();
    return `${language}-${script}`;
  } catch {
    return undefined;
  }
}
