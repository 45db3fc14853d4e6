/** The language of the machine, as a tag such as `zh-CN`; undefined where the machine does not say. */

export function findUserLanguage(
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  const told = env.LC_ALL || env.LC_MESSAGES || env.LANG;
  const [, language, region] = /^([a-z]{2,3})(?:[_-]([A-Z]{2}))?(?:[.@]|$)/.exec(told ?? '') ?? [];
  if (language !== undefined) return region === undefined ? language : `${language}-${region}`;
  // On Linux the answer would be the default of the program, not the person's.
  return process.platform === 'linux' ? undefined : new Intl.DateTimeFormat().resolvedOptions().locale;
}
