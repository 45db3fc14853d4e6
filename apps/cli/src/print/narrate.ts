/**
 * Prints a Work while it runs: folds its events as every screen does, and prints the items that are new. Does not write to the
 * screen and does not prompt for input: pending questions are printed elsewhere.
 */
import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import type { RunView } from '@crewagent/protocol/run-view';
import { toStatus } from '@crewagent/protocol/status';
import type { TimelineItem } from '@crewagent/protocol/timeline';
import { changedFiles } from '@crewagent/protocol/tool-effects';
import { addToWorkView, type WorkView } from '@crewagent/protocol/work-view';
import { sanitize } from '../terminal.ts';
import { describeItem, type ItemOptions } from './describe-item.ts';
import { describeModel } from './describe-run.ts';
import { createReplyStream, type ReplyStream } from './reply-stream.ts';

export interface Narrator {
  /** Text to print now; may end in the middle of a line. */
  narrate(event: RunEvent): string;
  /** Ends an unfinished line. */
  pause(): string;
}

export interface NarratorOptions extends Omit<ItemOptions, 'titleOf'> {
  /** What is known of the Work when the narration begins. */
  readonly view: WorkView;
  /** Whether the person's input is on the screen already, because it was typed there. */
  readonly isTyped: boolean;
}

const INDENT = '  ';

export function createNarrator(options: NarratorOptions): Narrator {
  const { style, width, isTyped } = options;
  const view = copyView(options.view);
  /** The run of the last event, and its current node. */
  let runId = '';
  let nodeId: string | undefined;
  let reply: ReplyStream | undefined;
  /** Printed after the tool call that caused it. */
  let afterCall = '';
  /** The last error; not printed if the run stops because of it, since the stop reason repeats it. */
  let error: string | undefined;
  const written = new Set<string>();

  const runOf = (id: string): RunView => (id === view.workId ? view.own : (view.runs.get(id) ?? view.own));
  const titleOf = (id: string): string =>
    sanitize(runOf(runId).nodes.find((node) => node.id === id)?.title || id, 200);
  const show = (items: readonly TimelineItem[]): string =>
    toLines(items.flatMap((item) => describeItem(item, { ...options, titleOf })));
  const showInput = (text: string): string => toLines([`${style('cyan', `${INDENT}›`)} ${sanitize(text)}`]);

  const endReply = (): string => {
    const ended = reply;
    reply = undefined;
    const tail = ended?.end() ?? '';
    return ended?.hasBegun ? `${tail}\n` : tail;
  };
  const takeAfterCall = (): string => {
    const text = afterCall;
    afterCall = '';
    return text;
  };
  const takeError = (): string => {
    const message = error;
    error = undefined;
    return message === undefined ? '' : toLines([style('yellow', `${INDENT}! ${sanitize(message)}`)]);
  };

  const enterNode = (id: string | undefined): string => {
    if (id === undefined || id === nodeId) return '';
    nodeId = id;
    const { nodes, caller } = runOf(runId);
    const index = nodes.findIndex((node) => node.id === id);
    const position = index === -1 ? '' : `${index + 1}/${nodes.length} `;
    const mark = `${'▸'.repeat(1 + (caller?.depth ?? 0))} ${position}`;
    return toLines([`${style('cyan', mark)}${style('bold', titleOf(id))}`]);
  };

  const describeProgress = (event: EventOf<'state.changed'>): string => {
    // A node that was completed before is not added again.
    const left = event.from === event.to || event.from === '' || event.isRewind ? [] : [event.from];
    const done = [...new Set([...left, ...event.stepsAdded])].map((id) => {
      const files = [...written].map((path) => sanitize(path, 120)).join(', ');
      written.clear();
      return `${style('green', '✓')} ${titleOf(id)}${files === '' ? '' : style('dim', `  wrote ${files}`)}`;
    });
    const decisions = event.decisionsAdded.map(({ label, reason }) =>
      style(
        'dim',
        `${INDENT}→ ${sanitize(label ?? event.to, 60)}${reason ? `: ${sanitize(reason, 200)}` : ''}`,
      ),
    );
    return toLines([...done, ...decisions]);
  };

  const endCall = (id: string): string => {
    const item = runOf(runId).timeline.findLast((other) => other.kind === 'tool' && other.callId === id);
    if (item?.kind !== 'tool') return '';
    if (item.status === 'ok') for (const file of changedFiles(item.effect)) written.add(file);
    // The answer to a question is printed when it is given.
    return item.effect.kind === 'asked' && item.status === 'ok' ? '' : show([item]);
  };

  /** `added`: the items that the event added to the timeline. */
  const toText = (event: RunEvent, added: readonly TimelineItem[]): string => {
    switch (event.type) {
      case 'message.delta':
        reply ??= createReplyStream({ indent: INDENT, width });
        return reply.push(event.text);
      case 'turn.started':
        return endReply() + takeAfterCall() + enterNode(event.nodeId);
      case 'message.completed': {
        if (event.purpose === 'input') return isTyped ? '' : endReply() + showInput(event.content);
        if (event.purpose !== 'reply') return '';
        // A reply without deltas is printed at once.
        const isStreamed = reply !== undefined;
        reply ??= createReplyStream({ indent: INDENT, width });
        return (isStreamed ? '' : reply.push(event.content)) + endReply();
      }
      case 'tool.started':
        return endReply();
      case 'tool.ended':
        return endReply() + endCall(event.callId) + takeAfterCall();
      case 'state.changed':
        afterCall += describeProgress(event);
        return '';
      case 'artifact.written':
        written.add(event.path.replace(/^@project\//, ''));
        return '';
      case 'question.answered':
        return isTyped ? '' : Object.entries(event.answers).map(toAnswer).map(showInput).join('');
      case 'approval.resolved':
        return isTyped ? '' : showInput(toDecision(event));
      case 'llm.retry':
        // The retry streams the reply again from its start.
        return endReply().replace(/\n$/, style('dim', ' …\n')) + show(added);
      case 'error':
        error = event.message;
        return '';
      case 'phase.changed':
        if (toStatus(event).isRunning) return endReply() + takeAfterCall();
        if (error === event.reason?.message) error = undefined;
        return endReply() + takeAfterCall() + takeError();
      case 'command.resolved':
        return (isTyped ? '' : showInput(event.input)) + describeGuess(event);
      case 'model.changed':
        return toLines([style('dim', `${INDENT}· ${describeModel(event.model)}`)]);
      case 'check.waived':
        return (
          endReply() +
          toLines([
            style('yellow', `${INDENT}! waived: ${sanitize(event.check)} (${sanitize(event.reason)})`),
          ])
        );
      // The result of its call has the same message.
      case 'transition.refused':
        return '';
      default: {
        const shown = show(added.filter(({ kind }) => !SHOWN_ELSEWHERE.has(kind)));
        return shown === '' ? '' : endReply() + takeAfterCall() + shown;
      }
    }
  };
  /** Prints the interpretation of a guessed command; rejected and ambiguous commands have messages of their own. */
  const describeGuess = ({ confidence, kind, reason }: EventOf<'command.resolved'>): string =>
    confidence === 'exact' || kind === 'ClarifyChoice' || kind === 'Refused'
      ? ''
      : toLines([style('dim', `${INDENT}→ ${sanitize(reason, 300)}`)]);

  return {
    narrate(event) {
      if (event.runId !== runId) [runId, nodeId] = [event.runId, undefined];
      const before = runOf(runId).timeline.length;
      addToWorkView(view, event);
      return toText(event, runOf(runId).timeline.slice(before));
    },
    pause: () => endReply() + takeAfterCall() + takeError(),
  };
}

/** Messages appear when they are sent; questions and approvals are asked, and calls printed, by others. */
const SHOWN_ELSEWHERE: ReadonlySet<TimelineItem['kind']> = new Set([
  'person',
  'tool',
  'question',
  'approval',
  'phase',
]);

/** The view of a session is folded by the session itself. */
function copyView(view: WorkView): WorkView {
  const copy = (run: RunView): RunView => ({ ...run, timeline: [...run.timeline], visits: [...run.visits] });
  return {
    ...view,
    own: copy(view.own),
    runs: new Map([...view.runs].map(([id, run]) => [id, copy(run)])),
  };
}

function toLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function toAnswer([id, answer]: [string, unknown]): string {
  return `${id}: ${typeof answer === 'string' ? answer : JSON.stringify(answer)}`;
}

function toDecision({ decision, reach, path, note, unseen }: EventOf<'approval.resolved'>): string {
  const terms = [decision, reach ?? [], unseen === undefined ? [] : `${unseen} lines not viewed`].flat();
  const answer = decision === 'no' ? 'no' : `yes (${terms.join(', ')})`;
  return `${path}: ${answer}${note === undefined ? '' : `, ${note}`}`;
}
