/**
 * A reply without a call: the model waits for an answer, or it forgot to act. Then one note leads it back, and if that does not
 * help, the run stops.
 */

import { findMenu } from '../llm/rehearsal/letter-menu.ts';
import { findWait } from '../llm/rehearsal/waiting-text.ts';
import type { ChatMessage } from '../llm/wire.ts';
import { CUT_OFF_NOTE, EMPTY_REPLY_NOTE, toMissingCallNote } from '../prompt/runtime-notes.ts';
import { findFacts } from './context/anchor.ts';
import type { LiveRun } from './live-run.ts';
import type { RunPosition } from './run-position.ts';
import { SAID_AND_STOPPED, type StopPoint, stopAfterFailure, stopAfterReply } from './stop-point.ts';
import type { TurnOutcome } from './turn.ts';

export type ReplyVerdict =
  | { readonly kind: 'nudge'; readonly note: string }
  | { readonly kind: 'stop'; readonly stop: StopPoint };

/** `isNudged`: the model got a note and has made no call since. */
export async function judgeReply(
  run: LiveRun,
  position: RunPosition,
  turn: Extract<TurnOutcome, { kind: 'reply' | 'empty' }>,
  isNudged: boolean,
): Promise<ReplyVerdict> {
  const afterReply: ReplyVerdict = { kind: 'stop', stop: stopAfterReply(position.isComplete) };
  if (turn.kind === 'empty') {
    if (hasProposed(run.memory.history.messages)) return afterReply;
    if (!isNudged) return { kind: 'nudge', note: await toEmptyReplyNote(run, position) };
    run.emit({ type: 'error', code: turn.error.code, message: turn.error.message });
    return { kind: 'stop', stop: stopAfterFailure(turn.error) };
  }
  if (turn.finishReason === 'length' && !isNudged) return { kind: 'nudge', note: CUT_OFF_NOTE };
  const note = await findMissingCall(run, position);
  if (note === undefined) return afterReply;
  return isNudged ? { kind: 'stop', stop: SAID_AND_STOPPED } : { kind: 'nudge', note };
}

/** The note about the last reply; undefined if it made a call, asks something, or need not make a call. */
export async function findMissingCall(
  run: LiveRun,
  { at, isComplete }: RunPosition,
): Promise<string | undefined> {
  if (run.sources.adapter.traits.stopsOnPurpose) return undefined;
  const last = run.memory.history.messages.at(-1);
  if (!at || isComplete || last?.role !== 'assistant' || last.tool_calls) return undefined;
  const facts = await findFacts(run);
  const isWaiting = facts.node?.waits === true || findWait(facts.node?.stepText ?? '').isWaiting;
  if (isWaiting || asks(last.content ?? '')) return undefined;
  return toNote(run, facts.node, 'had no tool call');
}

async function toEmptyReplyNote(run: LiveRun, { at, isComplete }: RunPosition): Promise<string> {
  if (!at || isComplete) return EMPTY_REPLY_NOTE;
  return toNote(run, (await findFacts(run)).node, 'was empty');
}

type NodeFacts = Awaited<ReturnType<typeof findFacts>>['node'];

function toNote({ memory }: LiveRun, node: NodeFacts, issue: 'had no tool call' | 'was empty'): string {
  const unwritten = (node?.outputs ?? []).filter((path) => !memory.visit.writes.has(path));
  return toMissingCallNote({ issue, step: node?.title || node?.nodeId || '', outputs: unwritten });
}

/** A line that ends with a question mark, a menu, or a single option such as `[C] Continue`. */
function asks(reply: string): boolean {
  const isQuestion = /[?？][\s*_"'”’`)）\]]{0,10}$/m.test(reply);
  return isQuestion || /\[[A-Z]{1,2}\][\s*_]*\p{L}/u.test(reply) || findMenu(reply).length > 0;
}

/** The model offered an item of the menu and said why: nothing is left to say. */
function hasProposed(messages: readonly ChatMessage[]): boolean {
  const last = messages.findLast(({ role }) => role !== 'tool');
  return (
    last?.role === 'assistant' &&
    Boolean(last.content?.trim()) &&
    (last.tool_calls ?? []).some((call) => call.function.name.endsWith('propose_command'))
  );
}
