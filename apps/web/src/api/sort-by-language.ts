/** The order of examples: those in the language of the page first. Nothing else knows the language of an example. */
import type { ShownExample } from '@crewagent/protocol/api/packages';
import type { Language } from '@crewagent/protocol/languages';

export function sortByLanguage(examples: readonly ShownExample[], language: string): ShownExample[] {
  const isInLanguage = ({ example }: ShownExample): boolean => languageOf(example) === language;
  return [...examples.filter(isInLanguage), ...examples.filter((example) => !isInLanguage(example))];
}

/** Rule B46: the ids of Chinese examples, and only these, end with `-zh`. */
function languageOf(example: string): Language {
  return example.endsWith('-zh') ? 'zh-CN' : 'en';
}
