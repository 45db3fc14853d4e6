/** Whom a message is for, and how the composer says it. */
import type { PendingItem } from '@crewagent/protocol/story/items';
import { useTranslation } from '../../i18n/use-translation.ts';
import { toShownLine } from '../../ui/sanitize-text.ts';

/** `nobody`: what is asked needs another form, and comes first. */
export type WordsFor = 'agent' | 'question' | 'nobody';

export function wordsFor(pending: PendingItem | undefined): WordsFor {
  if (!pending) return 'agent';
  if (pending.kind === 'approval') return 'nobody';
  const [first, ...others] = pending.questions;
  return first?.type === 'text' && others.length === 0 ? 'question' : 'nobody';
}

export interface WordsProps {
  readonly isRunning: boolean;
  /** Title of the node that receives the message. */
  readonly forNode?: string | undefined;
  /** The open question or approval. */
  readonly pending?: PendingItem | undefined;
}

/** `above` is visible also while there is text. */
export function useComposerWords({ pending, forNode, isRunning }: WordsProps, isBlank: boolean) {
  const { t } = useTranslation();
  if (wordsFor(pending) === 'question')
    return { above: isBlank ? undefined : t('composer.answers'), placeholder: t('composer.answer') };
  return {
    above: forNode === undefined ? undefined : t('composer.forNode', { node: toShownLine(forNode) }),
    placeholder: t(isRunning ? 'composer.whileRunning' : 'composer.placeholder'),
  };
}
