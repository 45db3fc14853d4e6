/**
 * The languages of the page and of the desktop app. To add one, add its tag here and its texts; the compiler then names every
 * table that needs an entry.
 */
export const LANGUAGES = ['en', 'zh-CN'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The first of the preferred tags that there is a language for, such as `zh-CN` for `zh-TW`; else English. */
export function detectLanguage(preferred: readonly string[]): Language {
  for (const tag of preferred) {
    const found = LANGUAGES.find((language) => primaryOf(language) === primaryOf(tag));
    if (found !== undefined) return found;
  }
  return 'en';
}

/** The language that a POSIX environment names, as a tag such as `zh-CN`; undefined if it names none. */
export function languageOfEnvironment(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const locale = env.LC_ALL || env.LC_MESSAGES || env.LANG;
  const [, language, region] = /^([a-z]{2,3})(?:[_-]([A-Z]{2}))?(?:[.@]|$)/.exec(locale ?? '') ?? [];
  return region === undefined ? language : `${language}-${region}`;
}

/** The language of an example: its id ends with the tag of every language but English, such as `-zh`. */
export function languageOfExample(id: string): Language {
  return LANGUAGES.find((language) => id.endsWith(`-${primaryOf(language)}`)) ?? 'en';
}

function primaryOf(tag: string): string {
  return tag.toLowerCase().split(/[-_]/, 1)[0] ?? '';
}
