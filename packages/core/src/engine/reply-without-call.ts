/**
 * Replies that may wait for a person. Without a call, the model waits for an answer, or it forgot to act: then one note leads it
 * back, and if that does not help, the run stops. With a menu beside its writes, it waits as well.
 */
import { findMenu, findWait } from '../base/letter-menu.ts';
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
  const { node } = await findFacts(run);
  // A plain WAIT may be conditional ("no key? Then WAIT"): there, only a reply that asks something waits.
  const isWaiting = node?.waits === true || findWait(node?.stepText ?? '').isHalting;
  if (isWaiting || asks(last.content ?? '')) return undefined;
  return toNote(run, node, 'had no tool call');
}

/**
 * Whether the last reply showed a menu of a waiting step beside calls that only wrote files, and all of them succeeded: another
 * request would only show the menu again.
 */
export async function hasShownMenu(run: LiveRun, { at, isComplete }: RunPosition): Promise<boolean> {
  const { messages } = run.memory.history;
  const index = messages.findLastIndex(({ role }) => role === 'assistant');
  const reply = messages[index];
  if (!at || isComplete || reply?.role !== 'assistant' || !reply.tool_calls) return false;
  if (findMenu(reply.content ?? '').length === 0) return false;
  const results = messages.slice(index + 1);
  const hasOnlyWritten =
    reply.tool_calls.every((call) => /^fs[._](?:write|apply_patch)$/.test(call.function.name)) &&
    results.length === reply.tool_calls.length &&
    results.every((result) => result.role === 'tool' && result.content.startsWith('{"ok":true'));
  if (!hasOnlyWritten) return false;
  const { node } = await findFacts(run);
  return node?.waits === true || findWait(node?.stepText ?? '').isWaiting;
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
