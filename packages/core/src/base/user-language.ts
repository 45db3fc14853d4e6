/** Language of the system as a tag such as `zh-CN`; undefined if unknown. */
import { languageOfEnvironment } from '@crewagent/protocol/languages';

export function findUserLanguage(
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  const language = languageOfEnvironment(env);
  if (language !== undefined) return language;
  // On Linux, Intl returns the default of the program, not of the user.
  return process.platform === 'linux' ? undefined : new Intl.DateTimeFormat().resolvedOptions().locale;
}
