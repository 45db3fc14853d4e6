/**
 * Keeps long conversations inside one node cheap: when it is worthwhile, the oldest exchanges are replaced by an outline.
 * Reports it as an event, so that a reopened run has the same messages.
 */

import { requestBytes } from '../../llm/serialise.ts';
import { toEarlierPath } from '../../prompt/history.ts';
import {
  exchangesBeforeDraft,
  isStartOfExchange,
  outlineExchanges,
  startsOfExchanges,
} from '../../prompt/outline.ts';
import { composeRequest, type PromptFrame } from '../../prompt/prompt-composer.ts';
import { type LiveRun, rulesOf } from '../live-run.ts';

/** In shorter conversations requests only grow at their end. */
const MIN_EXCHANGES = 10;
/** The current exchange and those before it that are sent whole. */
const RECENT_EXCHANGES = 4;
const MIN_GAIN = 1_500;

/**
 * Providers cache the beginning of a request, so this happens in steps: only at the start of an exchange, and only if it
 * removes at least as many bytes as have to be sent anew after the changed part.
 */
export function outlineIfWorthwhile(run: LiveRun, frame: PromptFrame): void {
  const { memory, sources, emit } = run;
  const { messages, nodeId } = memory.history;
  if (nodeId === undefined || sources.record.context.scope === 'run') return;
  if (!isStartOfExchange(messages)) return;
  const starts = startsOfExchanges(messages);
  const outlined = Math.min(starts.length - RECENT_EXCHANGES, exchangesBeforeDraft(messages, starts));
  if (starts.length < MIN_EXCHANGES || outlined < 1) return;
  const rules = rulesOf(run);
  const sizeOf = (part: typeof messages): number => requestBytes(composeRequest(frame, part, rules));
  const before = sizeOf(messages);
  const after = sizeOf([...outlineExchanges(messages, outlined, toEarlierPath(nodeId)).messages]);
  const sentAnew = sizeOf(messages.slice(starts[outlined])) - sizeOf([]);
  if (before - after < Math.max(MIN_GAIN, sentAnew)) return;
  const toTokens = (bytes: number): number => Math.round(bytes / memory.bytesPerToken);
  emit({
    type: 'context.compacted',
    outcome: 'effective',
    groups: 0,
    outlined,
    tokensBefore: toTokens(before),
    tokensAfter: toTokens(after),
  });
}
