/**
 * Keeps requests within the model's context. Above `COMPACT_AT`, old tool groups are summarized until the request is at
 * `COMPACT_TO`; if that is not enough, the oldest exchanges are, and then long texts are shortened. Reports the result as an
 * event, also if nothing helps.
 */

import { requestBytes } from '../../llm/serialise.ts';
import type { ChatMessage, ChatRequest } from '../../llm/wire.ts';
import {
  type Compaction,
  compactMessages,
  countExchanges,
  groupsToCompact,
} from '../../prompt/compaction.ts';
import type { History } from '../../prompt/history.ts';
import { composeRequest, type PromptFrame } from '../../prompt/prompt-composer.ts';
import { type LiveRun, rulesOf } from '../live-run.ts';

const COMPACT_AT = 0.8;
const COMPACT_TO = 0.5;
/** A mild compaction that ends above this would have to be repeated after a few turns. */
const MAX_AFTER_MILD = 0.65;
const RECENT_GROUPS = 2;
const RECENT_EXCHANGES = 3;
/** The last one still leaves room for a brief and a few sentences. */
const TEXT_CHARS = [16_000, 6_000, 3_000] as const;

/** A request that the model accepts, and its size. */
export interface FittingRequest {
  readonly ok: true;
  readonly request: ChatRequest;
  readonly bytes: number;
}

/** `limitTokens`: the limit named by the provider, after it rejected a request as too large. */
export function compactIfNeeded(
  run: LiveRun,
  frame: PromptFrame,
  refused: { readonly limitTokens: number | undefined } | undefined,
): FittingRequest | { ok: false; message: string } {
  const { memory, sources, emit } = run;
  const { history, bytesPerToken } = memory;
  const rules = rulesOf(run);
  const compose = (messages: readonly ChatMessage[]): FittingRequest => {
    const request = composeRequest(frame, messages, rules);
    return { ok: true, request, bytes: requestBytes(request) };
  };
  const sizeOf = (messages: readonly ChatMessage[]): number => compose(messages).bytes;
  const toTokens = (size: number): number => Math.round(size / bytesPerToken);
  const current = compose(history.messages);
  const { bytes } = current;
  const context = Math.min(
    sources.adapter.traits.contextTokens,
    refused?.limitTokens ?? (refused ? bytes / bytesPerToken : Number.POSITIVE_INFINITY),
  );
  if (!refused && bytes / bytesPerToken <= context * COMPACT_AT) return current;
  const { bytes: least, ...plan } = findPlan(history, { sizeOf, contextBytes: context * bytesPerToken });
  const tokensBefore = toTokens(bytes);
  if (least > context * bytesPerToken || (refused && least >= bytes)) {
    // Nothing is discarded: a model with a larger context may accept the request.
    emit({
      type: 'context.compacted',
      outcome: 'failed',
      groups: 0,
      tokensBefore,
      tokensAfter: tokensBefore,
    });
    return {
      ok: false,
      message: `The request has about ${toTokens(least)} tokens and the model accepts ${Math.round(context)}; choose a model with a larger context, or ${sources.plan ? RUN_ADVICE : THREAD_ADVICE}.`,
    };
  }
  if (least < bytes) {
    const tokensAfter = toTokens(least);
    emit({ type: 'context.compacted', outcome: 'effective', ...plan, tokensBefore, tokensAfter });
    return compose(history.messages);
  }
  if (!wasReported(history, tokensBefore, context))
    emit({ type: 'context.compacted', outcome: 'noop', groups: 0, tokensBefore, tokensAfter: tokensBefore });
  return current;
}

const RUN_ADVICE = 'shorten the step and what it reads, then resume';
const THREAD_ADVICE = 'start a new conversation';

/** Whether a compaction without effect was already reported at about this size. */
function wasReported({ lastCompaction }: History, tokens: number, context: number): boolean {
  const toTenth = (size: number): number => Math.floor((10 * size) / context);
  if (!lastCompaction || lastCompaction.outcome === 'effective') return false;
  return toTenth(lastCompaction.tokensBefore) === toTenth(tokens);
}

interface Target {
  sizeOf(messages: readonly ChatMessage[]): number;
  readonly contextBytes: number;
}

type Plan = Compaction & { readonly bytes: number };

/** The mildest plan that is sufficient, or the most drastic one. */
function findPlan({ messages, nodeId }: History, target: Target): Plan {
  const isLongThread = nodeId === undefined && countExchanges(messages) > RECENT_EXCHANGES;
  let plan: Plan = { groups: 0, bytes: target.sizeOf(messages) };
  for (const { isMild, ...candidate } of plansFor(messages, target)) {
    plan = { ...candidate, bytes: target.sizeOf(compactMessages(messages, candidate)) };
    if (plan.bytes <= target.contextBytes * (isMild && isLongThread ? MAX_AFTER_MILD : COMPACT_AT)) break;
  }
  return plan;
}

/** From the mildest to the most drastic. */
function* plansFor(
  messages: readonly ChatMessage[],
  target: Target,
): Generator<Compaction & { readonly isMild?: true }> {
  yield { groups: groupsFor(messages, target, RECENT_GROUPS), isMild: true };
  yield { groups: groupsFor(messages, target, 0), isMild: true };
  for (const recent of [RECENT_EXCHANGES, 1]) {
    const exchanges = exchangesFor(messages, target, recent);
    if (exchanges === 0) continue;
    yield { exchanges, groups: 0, isMild: true };
    const left = compactMessages(messages, { exchanges, groups: 0 });
    yield { exchanges, groups: groupsFor(left, target, 0) };
  }
  const exchanges = exchangesFor(messages, target, 1);
  for (const textChars of TEXT_CHARS)
    yield { ...(exchanges > 0 ? { exchanges } : {}), groups: Number.MAX_SAFE_INTEGER, textChars };
}

function groupsFor(
  messages: readonly ChatMessage[],
  { sizeOf, contextBytes }: Target,
  recent: number,
): number {
  const bytesToFree = sizeOf(messages) - contextBytes * COMPACT_TO;
  const empty = sizeOf([]);
  const bytesOf = (message: ChatMessage): number => sizeOf([message]) - empty;
  return groupsToCompact(messages, bytesOf, { bytesToFree, kept: recent });
}

/** The smallest number that frees half of the context, at most all but `recent`. */
function exchangesFor(
  messages: readonly ChatMessage[],
  { sizeOf, contextBytes }: Target,
  recent: number,
): number {
  const fits = (exchanges: number): boolean =>
    sizeOf(compactMessages(messages, { exchanges, groups: 0 })) <= contextBytes * COMPACT_TO;
  let most = Math.max(0, countExchanges(messages) - recent);
  let least = Math.min(1, most);
  while (least < most) {
    const middle = Math.floor((least + most) / 2);
    if (fits(middle)) most = middle;
    else least = middle + 1;
  }
  return least;
}
