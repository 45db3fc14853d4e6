/**
 * Keeps a request inside the model's context: above four fifths of it old tool groups are put into words until half is
 * free again; where that is not enough the newest go as well, and then long texts are shortened. Says what came of it, and
 * when nothing helps.
 */
import { bytesOfMessage } from '../llm/serialise.ts';
import type { ChatMessage } from '../llm/wire.ts';
import { compactGroups, groupsToCompact } from '../prompt/compaction.ts';
import { composeRequest, type PromptFrame, requestBytes } from '../prompt/prompt-composer.ts';
import type { LiveRun } from './live-run.ts';

const FULL = 0.8;
const ROOMY = 0.5;
const KEPT_GROUPS = 2;
/** The last one still holds a brief and a few sentences. */
const TEXT_CHARS = [16_000, 6_000, 3_000] as const;

/** `limitTokens`: what the provider says it takes, after it refused a request for its size. */
export function makeRoom(
  run: LiveRun,
  frame: PromptFrame,
  refused: { readonly limitTokens: number | undefined } | undefined,
): { ok: true } | { ok: false; message: string } {
  const { memory, sources, emit } = run;
  const { history, bytesPerToken } = memory;
  const sizeOf = (messages: readonly ChatMessage[]): number => requestBytes(composeRequest(frame, messages));
  const bytes = sizeOf(history.messages);
  const context = Math.min(
    sources.adapter.traits.contextTokens,
    refused?.limitTokens ?? (refused ? bytes / bytesPerToken : Number.POSITIVE_INFINITY),
  );
  if (!refused && bytes / bytesPerToken <= context * FULL) return { ok: true };
  const plan = findPlan(history.messages, {
    sizeOf,
    wanted: context * ROOMY * bytesPerToken,
    enough: context * FULL * bytesPerToken,
  });
  const fits = plan.bytes <= context * bytesPerToken && !(refused && plan.bytes >= bytes);
  const isSmaller = plan.bytes < bytes;
  emit({
    type: 'context.compacted',
    outcome: !fits ? 'failed' : isSmaller ? 'effective' : 'noop',
    groups: isSmaller ? plan.groups : 0,
    ...(isSmaller && plan.textChars !== undefined ? { textChars: plan.textChars } : {}),
    tokensBefore: Math.round(bytes / bytesPerToken),
    tokensAfter: Math.round(plan.bytes / bytesPerToken),
  });
  if (fits) return { ok: true };
  return {
    ok: false,
    message: `The request has about ${Math.round(plan.bytes / bytesPerToken)} tokens and the model takes ${Math.round(context)}; choose a model with a larger context, or shorten the step and what it reads, then resume.`,
  };
}

interface Plan {
  readonly groups: number;
  readonly textChars?: number;
  readonly bytes: number;
}

interface Aim {
  sizeOf(messages: readonly ChatMessage[]): number;
  /** What is aimed at, and what will do. */
  readonly wanted: number;
  readonly enough: number;
}

/** The mildest way that is enough, or the hardest there is. */
function findPlan(messages: readonly ChatMessage[], { sizeOf, wanted, enough }: Aim): Plan {
  const bytesToFree = sizeOf(messages) - wanted;
  const plans = [
    { groups: groupsToCompact(messages, bytesOfMessage, { bytesToFree, kept: KEPT_GROUPS }) },
    { groups: groupsToCompact(messages, bytesOfMessage, { bytesToFree, kept: 0 }) },
    ...TEXT_CHARS.map((textChars) => ({ groups: Number.MAX_SAFE_INTEGER, textChars })),
  ];
  let plan: Plan = { groups: 0, bytes: sizeOf(messages) };
  for (const candidate of plans) {
    const { groups, textChars } = { textChars: undefined, ...candidate };
    plan = { ...candidate, bytes: sizeOf(compactGroups(messages, groups, textChars)) };
    if (plan.bytes <= enough) break;
  }
  return plan;
}
