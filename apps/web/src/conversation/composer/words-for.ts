/** The recipient of a message while a question is open. Pure. */
import type { PendingItem } from '@crewagent/protocol/story/items';

/** `nobody`: what is asked needs another form, and comes first. */
export type WordsFor = 'agent' | 'question' | 'nobody';

export function wordsFor(pending: PendingItem | undefined): WordsFor {
  if (!pending) return 'agent';
  if (pending.kind === 'approval') return 'nobody';
  const [first, ...others] = pending.questions;
  return first?.type === 'text' && others.length === 0 ? 'question' : 'nobody';
}
