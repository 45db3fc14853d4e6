/** What the composer says of the words that are typed there: whom they are for. */
import type { PendingItem } from '@crewagent/protocol/timeline';
import { useTranslation } from '../../i18n/use-translation.ts';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { wordsFor } from './words-for.ts';

interface ComposerWords {
  /** In sight also where something is written. */
  readonly above: string | undefined;
  readonly placeholder: string;
}

export interface WordsProps {
  readonly isRunning: boolean;
  /** Title of the node that what is written is for. */
  readonly forNode?: string | undefined;
  /** What a person is asked for, above. */
  readonly pending?: PendingItem | undefined;
}

export function useComposerWords(
  { pending, forNode, isRunning }: WordsProps,
  isBlank: boolean,
): ComposerWords {
  const { t } = useTranslation();
  switch (wordsFor(pending)) {
    case 'question':
      return { above: isBlank ? undefined : t('composer.answers'), placeholder: t('composer.answer') };
    default:
      return {
        above: forNode === undefined ? undefined : t('composer.forNode', { node: toShownLine(forNode) }),
        placeholder: t(isRunning ? 'composer.whileRunning' : 'composer.placeholder'),
      };
  }
}
