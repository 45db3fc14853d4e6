/**
 * Keeps a request inside the model's context: above four fifths of it old tool groups are put into words until half is
 * free again; where that is not enough the oldest exchanges are, and then long texts are shortened. Says what came of it,
 * and when nothing helps.
 */
import { bytesOfMessage } from '../llm/serialise.ts';
import type { ChatMessage } from '../llm/wire.ts';
import { type Compaction, compactMessages, countExchanges, groupsToCompact } from '../prompt/compaction.ts';
import type { History } from '../prompt/history.ts';
import { composeRequest, type PromptFrame, requestBytes } from '../prompt/prompt-composer.ts';
import { type LiveRun, rulesOf } from './live-run.ts';

const FULL = 0.8;
const ROOMY = 0.5;
/** Room for a few more turns; what frees less would have to be done again with each of them. */
const WORTHWHILE = 0.65;
const RECENT_GROUPS = 2;
const RECENT_EXCHANGES = 3;
/** The last one still holds a brief and a few sentences. */
const TEXT_CHARS = [16_000, 6_000, 3_000] as const;

/** `limitTokens`: what the provider says it takes, after it refused a request for its size. */
export function compactIfNeeded(
  run: LiveRun,
  frame: PromptFrame,
  refused: { readonly limitTokens: number | undefined } | undefined,
): { ok: true } | { ok: false; message: string } {
  const { memory, sources, emit } = run;
  const { history, bytesPerToken } = memory;
  const rules = rulesOf(run);
  const sizeOf = (messages: readonly ChatMessage[]): number =>
    requestBytes(composeRequest(frame, messages, rules));
  const toTokens = (size: number): number => Math.round(size / bytesPerToken);
  const bytes = sizeOf(history.messages);
  const context = Math.min(
    sources.adapter.traits.contextTokens,
    refused?.limitTokens ?? (refused ? bytes / bytesPerToken : Number.POSITIVE_INFINITY),
  );
  if (!refused && bytes / bytesPerToken <= context * FULL) return { ok: true };
  const { bytes: least, ...plan } = findPlan(history, { sizeOf, contextBytes: context * bytesPerToken });
  const tokensBefore = toTokens(bytes);
  if (least > context * bytesPerToken || (refused && least >= bytes)) {
    // Nothing is forgotten for nothing: a model with a larger context may take it as it is.
    emit({
      type: 'context.compacted',
      outcome: 'failed',
      groups: 0,
      tokensBefore,
      tokensAfter: tokensBefore,
    });
    return {
      ok: false,
      message: `The request has about ${toTokens(least)} tokens and the model takes ${Math.round(context)}; choose a model with a larger context, or ${sources.plan ? IN_A_RUN : IN_A_THREAD}.`,
    };
  }
  if (least < bytes)
    emit({
      type: 'context.compacted',
      outcome: 'effective',
      ...plan,
      tokensBefore,
      tokensAfter: toTokens(least),
    });
  else if (!isToldAlready(history, tokensBefore, context))
    emit({ type: 'context.compacted', outcome: 'noop', groups: 0, tokensBefore, tokensAfter: tokensBefore });
  return { ok: true };
}

const IN_A_RUN = 'shorten the step and what it reads, then resume';
const IN_A_THREAD = 'begin a new conversation';

/** Whether it was said before that there is no room to be made, at about this size. */
function isToldAlready({ lastCompaction }: History, tokens: number, context: number): boolean {
  const toTenth = (size: number): number => Math.floor((10 * size) / context);
  if (!lastCompaction || lastCompaction.outcome === 'effective') return false;
  return toTenth(lastCompaction.tokensBefore) === toTenth(tokens);
}

interface Aim {
  sizeOf(messages: readonly ChatMessage[]): number;
  readonly contextBytes: number;
}

type Plan = Compaction & { readonly bytes: number };

/** The mildest way that is enough, or the hardest there is. */
function findPlan({ messages, nodeId }: History, aim: Aim): Plan {
  const isLongThread = nodeId === undefined && countExchanges(messages) > RECENT_EXCHANGES;
  let plan: Plan = { groups: 0, bytes: aim.sizeOf(messages) };
  for (const { isMild, ...candidate } of plansFor(messages, aim)) {
    plan = { ...candidate, bytes: aim.sizeOf(compactMessages(messages, candidate)) };
    if (plan.bytes <= aim.contextBytes * (isMild && isLongThread ? WORTHWHILE : FULL)) break;
  }
  return plan;
}

/** From the mildest to the hardest. */
function* plansFor(
  messages: readonly ChatMessage[],
  aim: Aim,
): Generator<Compaction & { readonly isMild?: true }> {
  yield { groups: groupsFor(messages, aim, RECENT_GROUPS), isMild: true };
  yield { groups: groupsFor(messages, aim, 0), isMild: true };
  for (const kept of [RECENT_EXCHANGES, 1]) {
    const exchanges = exchangesFor(messages, aim, kept);
    if (exchanges === 0) continue;
    yield { exchanges, groups: 0, isMild: true };
    const left = compactMessages(messages, { exchanges, groups: 0 });
    yield { exchanges, groups: groupsFor(left, aim, 0) };
  }
  const exchanges = exchangesFor(messages, aim, 1);
  for (const textChars of TEXT_CHARS)
    yield { ...(exchanges > 0 ? { exchanges } : {}), groups: Number.MAX_SAFE_INTEGER, textChars };
}

function groupsFor(messages: readonly ChatMessage[], { sizeOf, contextBytes }: Aim, kept: number): number {
  const bytesToFree = sizeOf(messages) - contextBytes * ROOMY;
  return groupsToCompact(messages, bytesOfMessage, { bytesToFree, kept });
}

/** The fewest that free half of the context, or all but those that are kept. */
function exchangesFor(messages: readonly ChatMessage[], { sizeOf, contextBytes }: Aim, kept: number): number {
  const isRoomy = (exchanges: number): boolean =>
    sizeOf(compactMessages(messages, { exchanges, groups: 0 })) <= contextBytes * ROOMY;
  let most = Math.max(0, countExchanges(messages) - kept);
  let least = Math.min(1, most);
  while (least < most) {
    const middle = Math.floor((least + most) / 2);
    if (isRoomy(middle)) most = middle;
    else least = middle + 1;
  }
  return least;
}
