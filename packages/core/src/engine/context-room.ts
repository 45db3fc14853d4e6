/**
 * Keeps a request inside the model's context: above four fifths of it old tool groups are put into words until half is
 * free again. Says what came of it, and when nothing helps.
 */
import { bytesOfMessage } from '../llm/serialise.ts';
import { compactGroups, groupsToCompact } from '../prompt/compaction.ts';
import { composeRequest, type PromptFrame, requestBytes } from '../prompt/prompt-composer.ts';
import type { LiveRun } from './live-run.ts';

const FULL = 0.8;
const ROOMY = 0.5;

/** `isRefused`: the provider said that the request is too large, whatever we reckoned. */
export function makeRoom(
  run: LiveRun,
  frame: PromptFrame,
  isRefused: boolean,
): { ok: true } | { ok: false; message: string } {
  const { memory, sources, emit } = run;
  const { history } = memory;
  const sizeOf = (messages: typeof history.messages): number => requestBytes(composeRequest(frame, messages));
  const bytes = sizeOf(history.messages);
  const tokens = bytes / memory.bytesPerToken;
  const context = sources.adapter.traits.contextTokens;
  if (!isRefused && tokens <= context * FULL) return { ok: true };
  const wanted = Math.min(context, isRefused ? tokens : context) * ROOMY * memory.bytesPerToken;
  const groups = groupsToCompact(history.messages, bytesOfMessage, bytes - wanted);
  const after = groups > 0 ? sizeOf(compactGroups(history.messages, groups)) : bytes;
  const tokensAfter = after / memory.bytesPerToken;
  const fits = tokensAfter <= context && !(isRefused && after >= bytes);
  emit({
    type: 'context.compacted',
    outcome: after < bytes ? (fits ? 'effective' : 'failed') : fits ? 'noop' : 'failed',
    groups: after < bytes ? groups : 0,
    tokensBefore: Math.round(tokens),
    tokensAfter: Math.round(tokensAfter),
  });
  if (fits) return { ok: true };
  return {
    ok: false,
    message: `The request has about ${Math.round(tokensAfter)} tokens and the model takes ${context}; choose a model with a larger context, or shorten the step and what it reads, then resume.`,
  };
}
