/**
 * A problem by its code, in the reader's language: what it is, and what to do now. The message that came with the code is the
 * why; it stays as it was said.
 */

import type { en } from '../../i18n/texts.ts';
import { useTranslation } from '../../i18n/use-translation.ts';

type KnownProblem = keyof typeof en.problem;

export interface ProblemWords {
  readonly title: string;
  readonly advice: string | undefined;
  /** There are words for this very problem. */
  readonly isKnown: boolean;
}

export function useProblemWords(code: string): ProblemWords {
  const { t, i18n } = useTranslation();
  const key = code.replaceAll('.', '_');
  const known = i18n.exists(`problem.${key}.title`) ? (key as KnownProblem) : 'unknown';
  const advice = t(`problem.${known}.advice`);
  return {
    title: t(`problem.${known}.title`),
    advice: advice === '' ? undefined : advice,
    isKnown: known !== 'unknown',
  };
}
