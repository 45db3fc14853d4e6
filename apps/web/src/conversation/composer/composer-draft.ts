/** Placeholder and label of the composer: whom the text is for. */
import type { PendingItem } from '@crewagent/protocol/story/items';
import { useTranslation } from '../../i18n/use-translation.ts';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { wordsFor } from './words-for.ts';

interface ComposerWords {
  /** Visible also while there is text. */
  readonly above: string | undefined;
  readonly placeholder: string;
}

export interface DraftProps {
  readonly isRunning: boolean;
  /** Title of the node that receives the message. */
  readonly forNode?: string | undefined;
  /** The open question or approval. */
  readonly pending?: PendingItem | undefined;
}

export function useComposerDraft(
  { pending, forNode, isRunning }: DraftProps,
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
