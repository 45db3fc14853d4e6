/**
 * Tells a run or a conversation while it happens: what to print for each event, after all that was printed before. Knows no
 * screen, and asks nothing: where a person is waited for, others speak.
 */
import type { EventOf, QueuedInput, RunEvent } from '@crewagent/protocol/events';
import { changedFile, effectOf, failureOf } from '@crewagent/protocol/tool-effects';
import { describeUndone, isUndone } from './describe-undone.ts';
import { describeThreadEvent } from './narrate-thread.ts';
import { createReplyStream, type ReplyStream } from './reply-stream.ts';
import { type Styler, sanitize } from './terminal.ts';

export interface Narrator {
  /** What to print now. It may end inside a line. */
  tell(event: RunEvent): string;
  /** Ends a line that was begun. */
  pause(): string;
}

export interface NarratorOptions {
  readonly style: Styler;
  /** Of the terminal, where there is one. */
  readonly width: number | undefined;
  /** The nodes of a run's workflow, in its order. */
  nodesOf(runId: string): readonly NarratedNode[];
  /** Whether a person's words are on the screen already, because they were typed there. */
  readonly isTyped: boolean;
}

export interface NarratedNode {
  readonly id: string;
  readonly title: string;
}

interface Story extends NarratorOptions {
  /** The run that is being told, and where it is. */
  runId: string;
  nodeId: string | undefined;
  reply: ReplyStream | undefined;
  readonly paths: Map<string, string>;
  /** Files of the project the current node wrote. */
  readonly written: Set<string>;
  /** To be said once the call that brought it about has been told. */
  afterCall: string;
  /** Said again where the run stops because of it. */
  error: string | undefined;
}

export function createNarrator(options: NarratorOptions): Narrator {
  const story: Story = {
    ...options,
    runId: '',
    nodeId: undefined,
    reply: undefined,
    paths: new Map(),
    written: new Set(),
    afterCall: '',
    error: undefined,
  };
  return {
    tell(event) {
      if (event.runId !== story.runId) [story.runId, story.nodeId] = [event.runId, undefined];
      return tell(story, event);
    },
    pause: () => endReply(story) + takeAfterCall(story) + takeError(story),
  };
}

function tell(story: Story, event: RunEvent): string {
  const { style } = story;
  switch (event.type) {
    case 'message.delta':
      story.reply ??= createReplyStream({ indent: INDENT, width: story.width });
      return story.reply.push(event.text);
    case 'turn.started':
      return endReply(story) + takeAfterCall(story) + enterNode(story, event.nodeId);
    case 'message.completed':
      return tellMessage(story, event);
    case 'tool.started':
      if (event.path !== undefined) story.paths.set(event.callId, event.path);
      return endReply(story);
    case 'tool.ended':
      return tellTool(story, event) + takeAfterCall(story);
    case 'state.changed':
      story.afterCall += tellProgress(story, event);
      return '';
    case 'artifact.written':
      story.written.add(event.path.replace(/^@project\//, ''));
      return '';
    case 'transition.refused':
      story.afterCall += line(style('yellow', `${INDENT}! refused: ${sanitize(event.message, 300)}`));
      return '';
    case 'question.answered':
      return story.isTyped ? '' : tellAnswers(story, event);
    case 'approval.resolved':
      return story.isTyped ? '' : tellDecision(story, event);
    case 'context.compacted':
      return event.outcome !== 'effective'
        ? ''
        : line(
            style(
              'dim',
              `${INDENT}⇣ ${event.exchanges === undefined ? 'older tool results were' : 'the oldest part of the talk was'} shortened: ${event.tokensBefore} → ${event.tokensAfter} tokens`,
            ),
          );
    case 'llm.retry':
      return cutReply(story) + tellRetry(story, event);
    case 'context.reset':
    case 'warning':
      return endReply(story) + line(style('yellow', `${INDENT}! ${sanitize(event.message)}`));
    case 'error':
      story.error = event.message;
      return '';
    case 'phase.changed':
      return endReply(story) + takeAfterCall(story) + tellError(story, event);
    case 'input.queued':
      return describeDirective(story, event);
    case 'errands.queued':
      return event.inputs.map((input) => describeDirective(story, input)).join('');
    case 'script.entered':
      return (
        describeThreadEvent(event, story) +
        event.inputs.map((input) => describeDirective(story, input)).join('')
      );
    case 'run.created':
    case 'run.resumed':
    case 'reasoning.delta':
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
      return endReply(story) + takeAfterCall(story) + describeThreadEvent(event, story);
  }
}

const INDENT = '  ';

function line(text: string): string {
  return `${text}\n`;
}

function takeAfterCall(story: Story): string {
  const { afterCall } = story;
  story.afterCall = '';
  return afterCall;
}

function enterNode(story: Story, nodeId: string | undefined): string {
  if (nodeId === undefined || nodeId === story.nodeId) return '';
  story.nodeId = nodeId;
  const { style, runId } = story;
  const nodes = story.nodesOf(runId);
  const index = nodes.findIndex(({ id }) => id === nodeId);
  const place = index === -1 ? '' : `${index + 1}/${nodes.length} `;
  return line(`${style('cyan', `▸ ${place}`)}${style('bold', titleOf(story, nodeId))}`);
}

function titleOf({ nodesOf, runId }: Story, nodeId: string): string {
  return sanitize(nodesOf(runId).find(({ id }) => id === nodeId)?.title || nodeId, 200);
}

function tellMessage(story: Story, event: EventOf<'message.completed'>): string {
  switch (event.purpose) {
    case 'reply': {
      // What came without pieces is told whole.
      const reply = story.reply ?? createReplyStream({ indent: INDENT, width: story.width });
      const text = story.reply ? '' : reply.push(event.content);
      story.reply = reply;
      return text + endReply(story);
    }
    case 'input':
      return story.isTyped ? '' : endReply(story) + said(story, event.content);
    case 'anchor':
    case 'nudge':
    case 'data':
    case 'directive':
      return '';
  }
}

/** What goes to the model beside a person's words, by the name they know it by. */
function describeDirective({ style }: Story, { purpose, label }: QueuedInput): string {
  if (purpose === undefined || label === undefined) return '';
  return line(style('dim', `${INDENT}+ ${purpose === 'data' ? 'data' : 'told'} ${sanitize(label, 200)}`));
}

function endReply(story: Story): string {
  const { reply } = story;
  if (!reply) return '';
  story.reply = undefined;
  const rest = reply.end();
  return reply.hasBegun ? `${rest}\n` : rest;
}

/** The reply broke off; all of it comes again. */
function cutReply(story: Story): string {
  const begun = endReply(story);
  return begun.replace(/\n$/, story.style('dim', ' …\n'));
}

function tellTool(story: Story, event: EventOf<'tool.ended'>): string {
  const { style, paths, written } = story;
  const path = paths.get(event.callId);
  paths.delete(event.callId);
  const effect = effectOf(event, path);
  if (effect.kind === 'asked' && event.outcome === 'ok') return endReply(story);
  const head = `${sanitize(event.name, 80)}${path === undefined ? '' : ` ${sanitize(path, 120)}`}`;
  const time = `${event.durationMs} ms`;
  if (event.outcome === 'ok') {
    const file = changedFile(effect);
    if (file !== undefined) written.add(file);
    return endReply(story) + line(style('dim', `${INDENT}${head}  ok ${time}`));
  }
  const code = event.code ?? event.outcome;
  const why = failureOf(event);
  const shown = style(
    event.outcome === 'refused' ? 'yellow' : 'red',
    `${INDENT}${head}  ${sanitize(code, 60)}`,
  );
  return endReply(story) + line(`${shown}${why ? style('dim', `  ${sanitize(why, 200)}`) : ''}`);
}

function tellProgress(story: Story, event: EventOf<'state.changed'>): string {
  const { style, written } = story;
  let text = '';
  for (const nodeId of event.stepsAdded) {
    const files = [...written].map((path) => sanitize(path, 120)).join(', ');
    const wrote = files === '' ? '' : style('dim', `  wrote ${files}`);
    text += line(`${style('green', '✓')} ${titleOf(story, nodeId)}${wrote}`);
    written.clear();
  }
  for (const { label, reason } of event.decisionsAdded) {
    const why = reason ? `: ${sanitize(reason, 200)}` : '';
    text += line(style('dim', `${INDENT}→ ${sanitize(label ?? event.to, 60)}${why}`));
  }
  for (const note of event.notes) text += line(style('dim', `${INDENT}note: ${sanitize(note, 300)}`));
  return text;
}

function tellAnswers(story: Story, { answers }: EventOf<'question.answered'>): string {
  return Object.entries(answers)
    .map(([id, answer]) =>
      said(story, `${id}: ${typeof answer === 'string' ? answer : JSON.stringify(answer)}`),
    )
    .join('');
}

function said({ style }: Story, words: string): string {
  return line(`${style('cyan', `${INDENT}›`)} ${sanitize(words)}`);
}

function tellDecision(story: Story, { decision, reach, path, note }: EventOf<'approval.resolved'>): string {
  const word = decision === 'no' ? 'no' : `yes (${reach ? `${decision}, ${reach}` : decision})`;
  return said(story, `${path}: ${word}${note === undefined ? '' : `, ${note}`}`);
}

function tellRetry({ style }: Story, event: EventOf<'llm.retry'>): string {
  const seconds = (event.delayMs / 1_000).toFixed(event.delayMs < 10_000 ? 1 : 0);
  return line(
    style(
      'yellow',
      `${INDENT}↻ ${sanitize(event.message, 300)} Try ${event.attempt} in ${seconds} s (${event.code}).`,
    ),
  );
}

/** An error that did not stop the run is only told here. */
function tellError(story: Story, { phase, reason }: EventOf<'phase.changed'>): string {
  if (phase === 'Running') return '';
  if (story.error === reason?.message) story.error = undefined;
  return takeError(story);
}

function takeError(story: Story): string {
  const { error, style } = story;
  story.error = undefined;
  return error === undefined ? '' : line(style('yellow', `${INDENT}! ${sanitize(error)}`));
}
