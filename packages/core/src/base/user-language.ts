/** Language of the system as a tag such as `zh-CN`; undefined if unknown. */

export function findUserLanguage(
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  const locale = env.LC_ALL || env.LC_MESSAGES || env.LANG;
  const [, language, region] = /^([a-z]{2,3})(?:[_-]([A-Z]{2}))?(?:[.@]|$)/.exec(locale ?? '') ?? [];
  if (language !== undefined) return region === undefined ? language : `${language}-${region}`;
  // On Linux, Intl returns the default of the program, not of the user.
  return process.platform === 'linux' ? undefined : new Intl.DateTimeFormat().resolvedOptions().locale;
}
