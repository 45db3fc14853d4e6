/**
 * Turns the events of a run or conversation into text as they arrive. Does not write to the screen and does not prompt for
 * input: pending questions are printed elsewhere.
 */
import type { EventOf, QueuedInput, RunEvent } from '@crewagent/protocol/events';
import { toStatus } from '@crewagent/protocol/status';
import { changedFiles, effectOf, failureOf } from '@crewagent/protocol/tool-effects';
import { type Styler, sanitize } from '../terminal.ts';
import { describeUndone, isUndone } from './describe-undone.ts';
import { describeThreadEvent } from './narrate-thread.ts';
import { createReplyStream, type ReplyStream } from './reply-stream.ts';

export interface Narrator {
  /** Text to print now; may end in the middle of a line. */
  narrate(event: RunEvent): string;
  /** Ends an unfinished line. */
  pause(): string;
}

export interface NarratorOptions {
  readonly style: Styler;
  /** Terminal width; undefined without a terminal. */
  readonly width: number | undefined;
  /** The nodes of a run's workflow, in order. */
  nodesOf(runId: string): readonly NarratedNode[];
  /** How many calls lead to a run that was called before the narration began. */
  depthOf?(runId: string): number;
  /** Whether the person's input is on the screen already, because it was typed there. */
  readonly isTyped: boolean;
}

export interface NarratedNode {
  readonly id: string;
  readonly title: string;
}

interface NarratorState extends NarratorOptions {
  /** The run of the last event, and its current node. */
  runId: string;
  nodeId: string | undefined;
  reply: ReplyStream | undefined;
  readonly paths: Map<string, string>;
  /** Calls that the model wrote as text. */
  readonly fromText: Set<string>;
  /** Runs that were called during the narration, by run id. */
  readonly called: Map<string, CalledRun>;
  /** Project files written by the current node. */
  readonly written: Set<string>;
  /** Printed after the tool call that caused it. */
  afterCall: string;
  /** The last error; not printed if the run stops because of it, since the stop reason repeats it. */
  error: string | undefined;
}

interface CalledRun {
  readonly nodes: readonly NarratedNode[];
  readonly depth: number;
}

export function createNarrator(options: NarratorOptions): Narrator {
  const state: NarratorState = {
    ...options,
    runId: '',
    nodeId: undefined,
    reply: undefined,
    paths: new Map(),
    fromText: new Set(),
    called: new Map(),
    written: new Set(),
    afterCall: '',
    error: undefined,
  };
  return {
    narrate(event) {
      if (event.runId !== state.runId) [state.runId, state.nodeId] = [event.runId, undefined];
      return toText(state, event);
    },
    pause: () => endReply(state) + takeAfterCall(state) + takeError(state),
  };
}

function toText(state: NarratorState, event: RunEvent): string {
  const { style } = state;
  switch (event.type) {
    case 'message.delta':
      state.reply ??= createReplyStream({ indent: INDENT, width: state.width });
      return state.reply.push(event.text);
    case 'turn.started':
      return endReply(state) + takeAfterCall(state) + enterNode(state, event.nodeId);
    case 'message.completed':
      for (const { id, isFromText } of event.toolCalls ?? []) if (isFromText) state.fromText.add(id);
      return describeMessage(state, event);
    case 'tool.started':
      if (event.path !== undefined) state.paths.set(event.callId, event.path);
      return endReply(state);
    case 'tool.ended':
      return describeToolCall(state, event) + takeAfterCall(state);
    case 'state.changed':
      state.afterCall += describeProgress(state, event);
      return '';
    case 'artifact.written':
      state.written.add(event.path.replace(/^@project\//, ''));
      return '';
    case 'question.answered':
      return state.isTyped ? '' : describeAnswers(state, event);
    case 'approval.resolved':
      return state.isTyped ? '' : describeDecision(state, event);
    case 'context.compacted':
      return event.outcome !== 'effective' || event.outlined !== undefined
        ? ''
        : line(
            style(
              'dim',
              `${INDENT}⇣ ${event.exchanges === undefined ? 'older tool results were' : 'the oldest messages were'} compacted: ${event.tokensBefore} → ${event.tokensAfter} tokens`,
            ),
          );
    case 'llm.retry':
      return cutReply(state) + describeRetry(state, event);
    case 'context.reset':
    case 'warning':
      return endReply(state) + line(style('yellow', `${INDENT}! ${sanitize(event.message)}`));
    case 'error':
      state.error = event.message;
      return '';
    case 'phase.changed':
      return endReply(state) + takeAfterCall(state) + describeError(state, event);
    case 'input.queued':
      return describeDirective(state, event);
    case 'errands.queued':
      return event.inputs.map((input) => describeDirective(state, input)).join('');
    case 'script.entered':
      return (
        describeThreadEvent(event, state) +
        event.inputs.map((input) => describeDirective(state, input)).join('')
      );
    case 'run.created':
      if (event.call) state.called.set(event.runId, { nodes: event.nodes, depth: event.call.depth });
      return '';
    case 'call.started':
      return endReply(state) + takeAfterCall(state) + describeCall(state, event);
    case 'call.ended':
      return endReply(state) + takeAfterCall(state) + describeReturn(state, event);
    case 'check.waived':
      return (
        endReply(state) +
        line(style('yellow', `${INDENT}! waived: ${sanitize(event.check)} (${sanitize(event.reason)})`))
      );
    case 'visit.started':
    case 'checks.judged':
    case 'run.resumed':
    case 'reasoning.delta':
    case 'tool.progress':
    // The result of its call has the same message.
    case 'transition.refused':
    case 'message.partial':
    case 'input.withdrawn':
    case 'usage.updated':
    case 'question.asked':
    case 'approval.requested':
      return '';
    case 'changes.undone':
      return event.files
        .map((file) =>
          line(`${isUndone(file) ? style('green', '✔') : style('red', '✖')} ${describeUndone(file)}`),
        )
        .join('');
    default:
      return endReply(state) + takeAfterCall(state) + describeThreadEvent(event, state);
  }
}

const INDENT = '  ';

function line(text: string): string {
  return `${text}\n`;
}

function takeAfterCall(state: NarratorState): string {
  const { afterCall } = state;
  state.afterCall = '';
  return afterCall;
}

function enterNode(state: NarratorState, nodeId: string | undefined): string {
  if (nodeId === undefined || nodeId === state.nodeId) return '';
  state.nodeId = nodeId;
  const { style } = state;
  const nodes = nodesOf(state);
  const index = nodes.findIndex(({ id }) => id === nodeId);
  const position = index === -1 ? '' : `${index + 1}/${nodes.length} `;
  return line(
    `${style('cyan', `${'▸'.repeat(1 + depthOf(state))} ${position}`)}${style('bold', titleOf(state, nodeId))}`,
  );
}

function depthOf({ called, depthOf: known, runId }: NarratorState): number {
  return called.get(runId)?.depth ?? known?.(runId) ?? 0;
}

function nodesOf({ nodesOf: known, runId, called }: NarratorState): readonly NarratedNode[] {
  return called.get(runId)?.nodes ?? known(runId);
}

function describeCall(state: NarratorState, { nodeId, workflow }: EventOf<'call.started'>): string {
  const title = sanitize(workflow.title || workflow.ref, 200);
  return line(
    `${state.style('cyan', '▣')} ${titleOf(state, nodeId)}${state.style('dim', `  calls ${title}`)}`,
  );
}

function describeReturn({ style }: NarratorState, { title, outcome }: EventOf<'call.ended'>): string {
  return line(style('dim', `${INDENT}↩ ${sanitize(title, 200)}: ${outcome}`));
}

function titleOf(state: NarratorState, nodeId: string): string {
  return sanitize(nodesOf(state).find(({ id }) => id === nodeId)?.title || nodeId, 200);
}

function describeMessage(state: NarratorState, event: EventOf<'message.completed'>): string {
  switch (event.purpose) {
    case 'reply': {
      // A reply without deltas is printed at once.
      const reply = state.reply ?? createReplyStream({ indent: INDENT, width: state.width });
      const text = state.reply ? '' : reply.push(event.content);
      state.reply = reply;
      return text + endReply(state);
    }
    case 'input':
      return state.isTyped ? '' : endReply(state) + describeInput(state, event.content);
    case 'anchor':
    case 'nudge':
    case 'data':
    case 'directive':
      return '';
  }
}

/** Documents and instructions sent to the model, by label. */
function describeDirective({ style }: NarratorState, { purpose, label }: QueuedInput): string {
  if (purpose === undefined || label === undefined) return '';
  return line(
    style('dim', `${INDENT}+ ${purpose === 'data' ? 'data' : 'instruction'} ${sanitize(label, 200)}`),
  );
}

function endReply(state: NarratorState): string {
  const { reply } = state;
  if (!reply) return '';
  state.reply = undefined;
  const tail = reply.end();
  return reply.hasBegun ? `${tail}\n` : tail;
}

/** Marks a reply that was cut off; the retry streams it again from the start. */
function cutReply(state: NarratorState): string {
  const begun = endReply(state);
  return begun.replace(/\n$/, state.style('dim', ' …\n'));
}

function describeToolCall(state: NarratorState, event: EventOf<'tool.ended'>): string {
  const { style, paths, written } = state;
  const path = paths.get(event.callId);
  paths.delete(event.callId);
  const effect = effectOf(event, path);
  if (effect.kind === 'asked' && event.outcome === 'ok') return endReply(state);
  const target = path ?? effect.command;
  const origin = state.fromText.delete(event.callId) ? ' (read from text)' : '';
  const head = `${sanitize(event.name, 80)}${target === undefined ? '' : ` ${sanitize(target, 120)}`}${origin}`;
  const time = `${event.durationMs} ms`;
  if (event.outcome === 'ok') {
    for (const file of changedFiles(effect)) written.add(file);
    return endReply(state) + line(style('dim', `${INDENT}${head}  ok ${time}`));
  }
  const code = event.code ?? event.outcome;
  const why = failureOf(event);
  const shown = style(
    event.outcome === 'refused' ? 'yellow' : 'red',
    `${INDENT}${head}  ${sanitize(code, 60)}`,
  );
  return endReply(state) + line(`${shown}${why ? style('dim', `  ${sanitize(why, 200)}`) : ''}`);
}

function describeProgress(state: NarratorState, event: EventOf<'state.changed'>): string {
  const { style, written } = state;
  let text = '';
  // A node that was completed before is not added again.
  const left = event.from === event.to || event.from === '' || event.isRewind ? [] : [event.from];
  for (const nodeId of new Set([...left, ...event.stepsAdded])) {
    const files = [...written].map((path) => sanitize(path, 120)).join(', ');
    const wrote = files === '' ? '' : style('dim', `  wrote ${files}`);
    text += line(`${style('green', '✓')} ${titleOf(state, nodeId)}${wrote}`);
    written.clear();
  }
  for (const { label, reason } of event.decisionsAdded) {
    const why = reason ? `: ${sanitize(reason, 200)}` : '';
    text += line(style('dim', `${INDENT}→ ${sanitize(label ?? event.to, 60)}${why}`));
  }
  return text;
}

function describeAnswers(state: NarratorState, { answers }: EventOf<'question.answered'>): string {
  return Object.entries(answers)
    .map(([id, answer]) =>
      describeInput(state, `${id}: ${typeof answer === 'string' ? answer : JSON.stringify(answer)}`),
    )
    .join('');
}

function describeInput({ style }: NarratorState, text: string): string {
  return line(`${style('cyan', `${INDENT}›`)} ${sanitize(text)}`);
}

function describeDecision(
  state: NarratorState,
  { decision, reach, path, note, unseen }: EventOf<'approval.resolved'>,
): string {
  const terms = [decision, reach ?? [], unseen === undefined ? [] : `${unseen} lines not viewed`].flat();
  const answer = decision === 'no' ? 'no' : `yes (${terms.join(', ')})`;
  return describeInput(state, `${path}: ${answer}${note === undefined ? '' : `, ${note}`}`);
}

function describeRetry({ style }: NarratorState, event: EventOf<'llm.retry'>): string {
  const seconds = (event.delayMs / 1_000).toFixed(event.delayMs < 10_000 ? 1 : 0);
  return line(
    style(
      'yellow',
      `${INDENT}↻ ${sanitize(event.message, 300)} Retrying in ${seconds} s (attempt ${event.attempt}, ${event.code}).`,
    ),
  );
}

/** Prints an error only if it did not stop the run. */
function describeError(state: NarratorState, event: EventOf<'phase.changed'>): string {
  if (toStatus(event).isRunning) return '';
  if (state.error === event.reason?.message) state.error = undefined;
  return takeError(state);
}

function takeError(state: NarratorState): string {
  const { error, style } = state;
  state.error = undefined;
  return error === undefined ? '' : line(style('yellow', `${INDENT}! ${sanitize(error)}`));
}
