/**
 * A Work while it runs, as text for the terminal: the items that events add to its story, and what only a terminal shows, such as
 * the words of a reply as they arrive. Does not write to the screen; pending questions are printed elsewhere.
 */
import { FOR_ALL } from '@crewagent/protocol/answers';
import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import { toStatus } from '@crewagent/protocol/status';
import { isFoldedRead } from '@crewagent/protocol/story/describe-call';
import type { ItemOf, StoryItem, ToolItem } from '@crewagent/protocol/story/items';
import type { Story } from '@crewagent/protocol/story/story';
import { translate } from '@crewagent/protocol/story/translate';
import type { WorkStory } from '@crewagent/protocol/story/work-story';
import { changedFiles } from '@crewagent/protocol/tool-effects';
import { sanitize } from '../terminal.ts';
import { describeItem, describeReads, type ItemOptions } from './describe-item.ts';
import { describeDuration, describeModel } from './describe-work.ts';
import type { MarkdownOptions } from './markdown/markdown-stream.ts';
import { createReplyStream, type ReplyStream } from './text/reply-stream.ts';
import { wrapLine } from './text/wrap.ts';
import { say } from './texts/say.ts';

export interface LiveTextOptions extends Omit<ItemOptions, 'titleOf'> {
  /** Folded by its owner: it has each event before the event is printed. */
  readonly view: WorkStory;
  /** Renders replies; without it they are plain text. */
  readonly createMarkdown?: ((options: MarkdownOptions) => ReplyStream) | undefined;
  /** Whether the person's input is on the screen already, because it was typed there. */
  readonly isTyped: boolean;
}

const INDENT = '  ';
/** Shorter thinking is not mentioned. */
const NOTICEABLE_MS = 1_000;

export class LiveText {
  readonly #options: LiveTextOptions;
  /** The run of the last event, and its current node. */
  #runId = '';
  #nodeId: string | undefined;
  #reply: ReplyStream | undefined;
  /** When the model began to think, until it says something. */
  #thinkingSince: number | undefined;
  /** Calls that read, until something else is printed: they become one line. */
  #reads: ToolItem[] = [];
  /** Printed after the tool call that caused it. */
  #afterCall = '';
  /** The last error; not printed if the run stops because of it, since the stop reason repeats it. */
  #error: ItemOf<'notice'> | undefined;
  /** Project files written by the current node. */
  readonly #written = new Set<string>();

  constructor(options: LiveTextOptions) {
    this.#options = options;
  }

  /** Text to print now; may end in the middle of a line. */
  add(event: RunEvent): string {
    const text = this.#textOf(event);
    return text === '' ? '' : this.#takeReads() + text;
  }

  #textOf(event: RunEvent): string {
    const { style, isTyped } = this.#options;
    if (event.runId !== this.#runId) [this.#runId, this.#nodeId] = [event.runId, undefined];
    switch (event.type) {
      case 'message.delta':
        return this.#endThought(event) + this.#openReply().push(event.text);
      case 'reasoning.delta':
        this.#thinkingSince ??= Date.parse(event.ts);
        return '';
      case 'turn.started':
        return this.#endTurn() + this.#enterNode(event.nodeId);
      case 'message.completed': {
        if (event.purpose === 'input') return isTyped ? '' : this.#endReply() + this.#input(event.content);
        if (event.purpose !== 'reply') return '';
        // A reply without deltas is printed at once.
        const text = this.#reply ? '' : this.#openReply().push(event.content);
        return this.#endThought(event) + text + this.#endReply();
      }
      case 'tool.started':
        return this.#endReply();
      case 'tool.ended':
        return this.#endReply() + this.#endCall(event.callId) + this.#takeAfterCall();
      case 'state.changed':
        this.#afterCall += this.#progress(event);
        return '';
      case 'artifact.written':
        this.#written.add(event.path.replace(/^@project\//, ''));
        return '';
      case 'question.answered':
        return Object.entries(event.answers)
          .map((answer) => this.#input(toAnswer(answer)))
          .join('');
      case 'approval.resolved':
        return this.#input(toDecision(event));
      case 'llm.retry':
        // The retry streams the reply again from its start, and the model does not think until then.
        this.#thinkingSince = undefined;
        return this.#endReply().replace(/\n$/, style('dim', ' …\n')) + this.#show(this.#addedBy(event));
      case 'error':
        this.#error = this.#addedBy(event).find((item) => item.kind === 'notice');
        return '';
      case 'phase.changed':
        if (toStatus(event).isRunning) return this.#endTurn();
        if (this.#error?.message === event.reason?.message) this.#error = undefined;
        return this.#endTurn() + this.#takeError();
      case 'command.resolved':
        return this.#input(event.input) + this.#guess(event);
      case 'model.changed':
        return this.#toLines([style('dim', `${INDENT}· ${describeModel(event.model)}`)]);
      case 'check.waived': {
        const waived = `${INDENT}! waived: ${sanitize(event.check)} (${sanitize(event.reason)})`;
        return this.#endReply() + this.#toLines([style('yellow', waived)]);
      }
      // The result of its call has the same message.
      case 'transition.refused':
      case 'tool.progress':
        return '';
      default: {
        const shown = this.#show(this.#addedBy(event).filter(({ kind }) => !SHOWN_ELSEWHERE.has(kind)));
        return shown === '' ? '' : this.#endTurn() + shown;
      }
    }
  }

  /** Ends an unfinished line. */
  pause(): string {
    return this.#takeReads() + this.#endTurn() + this.#takeError();
  }

  /** The end of the reply that is not printed yet. */
  get unfinished(): string {
    return this.#reply?.unfinished ?? '';
  }

  #toLines(lines: readonly string[]): string {
    const wrapped = lines.flatMap((line) => wrapLine(line, this.#options.width));
    return wrapped.map((line) => `${line}\n`).join('');
  }

  #run(): Story {
    const { workId, own, runs } = this.#options.view;
    return this.#runId === workId ? own : (runs.get(this.#runId) ?? own);
  }

  /** Items have the number of the event that added them. */
  #addedBy({ seq }: RunEvent): StoryItem[] {
    const { timeline } = this.#run();
    return timeline.slice(timeline.findLastIndex((item) => item.seq < seq) + 1);
  }

  #titleOf = (id: string): string =>
    sanitize(this.#run().nodes.find((node) => node.id === id)?.title || id, 200);

  #show(items: readonly StoryItem[]): string {
    const options = { ...this.#options, titleOf: this.#titleOf };
    return this.#toLines(items.flatMap((item) => describeItem(item, options)));
  }

  #input(text: string): string {
    const { style, isTyped } = this.#options;
    return isTyped ? '' : this.#toLines([`${style('cyan', `${INDENT}›`)} ${sanitize(text)}`]);
  }

  #openReply(): ReplyStream {
    const { style, width, createMarkdown } = this.#options;
    this.#reply ??=
      createMarkdown && width !== undefined
        ? createMarkdown({ style, width, indent: INDENT })
        : createReplyStream({ indent: INDENT, width });
    return this.#reply;
  }

  #endReply(): string {
    const reply = this.#reply;
    this.#reply = undefined;
    const tail = reply?.end() ?? '';
    return reply?.isMidLine ? `${tail}\n` : tail;
  }

  #takeAfterCall(): string {
    const text = this.#afterCall;
    this.#afterCall = '';
    return text;
  }

  #endTurn(): string {
    return this.#endReply() + this.#takeAfterCall();
  }

  #takeError(): string {
    const error = this.#error;
    this.#error = undefined;
    return this.#show(error ? [error] : []);
  }

  #enterNode(id: string | undefined): string {
    if (id === undefined || id === this.#nodeId) return '';
    this.#nodeId = id;
    const { style } = this.#options;
    const { nodes, caller } = this.#run();
    const index = nodes.findIndex((node) => node.id === id);
    const position = index === -1 ? '' : `${index + 1}/${nodes.length} `;
    const mark = `${'▸'.repeat(1 + (caller?.depth ?? 0))} ${position}`;
    return this.#toLines([`${style('cyan', mark)}${style('bold', this.#titleOf(id))}`]);
  }

  #progress({ from, to, isRewind, stepsAdded, decisionsAdded }: EventOf<'state.changed'>): string {
    const { style, language } = this.#options;
    // A node that was completed before is not added again.
    const left = from === to || from === '' || isRewind ? [] : [from];
    const done = [...new Set([...left, ...stepsAdded])].map((id) => {
      const files = [...this.#written].map((path) => sanitize(path, 120)).join(', ');
      this.#written.clear();
      return `${style('green', '✓')} ${this.#titleOf(id)}${files === '' ? '' : style('dim', `  ${translate(language, 'event.wroteFiles', { files })}`)}`;
    });
    const decisions = decisionsAdded.map(({ label, reason }) =>
      style('dim', `${INDENT}→ ${sanitize(label ?? to, 60)}${reason ? `: ${sanitize(reason, 200)}` : ''}`),
    );
    return this.#toLines([...done, ...decisions]);
  }

  #endCall(callId: string): string {
    const item = this.#run().timeline.findLast((other) => other.kind === 'tool' && other.callId === callId);
    if (item?.kind !== 'tool') return '';
    if (item.status === 'ok') for (const file of changedFiles(item.effect)) this.#written.add(file);
    // The answer to a question is printed when it is given.
    if (item.effect.kind === 'asked' && item.status === 'ok') return '';
    // The transition says it.
    if (item.effect.kind === 'state' && item.status === 'ok' && this.#afterCall !== '') return '';
    if (!isFoldedRead(item)) return this.#show([item]);
    this.#reads.push(item);
    return '';
  }

  /** The reasoning itself is in the log and on the page. */
  #endThought({ ts }: RunEvent): string {
    const since = this.#thinkingSince;
    this.#thinkingSince = undefined;
    const thoughtMs = since === undefined ? 0 : Date.parse(ts) - since;
    if (thoughtMs < NOTICEABLE_MS) return '';
    const thought = say('activity.thought', { time: describeDuration(thoughtMs) });
    return this.#toLines([this.#options.style('dim', `${INDENT}· ${thought}`)]);
  }

  #takeReads(): string {
    const items = this.#reads;
    this.#reads = [];
    return this.#toLines(describeReads(items, { ...this.#options, titleOf: this.#titleOf }));
  }

  /** Prints the interpretation of a guessed command; rejected and ambiguous commands have messages of their own. */
  #guess({ confidence, kind, reason }: EventOf<'command.resolved'>): string {
    const isClear = confidence === 'exact' || kind === 'ClarifyChoice' || kind === 'Refused';
    return isClear ? '' : this.#toLines([this.#options.style('dim', `${INDENT}→ ${sanitize(reason, 300)}`)]);
  }
}

/** Messages appear when they are sent; questions and approvals are asked by others. */
const SHOWN_ELSEWHERE: ReadonlySet<StoryItem['kind']> = new Set(['person', 'question', 'approval']);

function toAnswer([id, answer]: [string, unknown]): string {
  return `${id === FOR_ALL ? '' : `${id}: `}${typeof answer === 'string' ? answer : JSON.stringify(answer)}`;
}

function toDecision({ decision, reach, path, note, unseen }: EventOf<'approval.resolved'>): string {
  const terms = [decision, reach ?? [], unseen === undefined ? [] : `${unseen} lines not viewed`].flat();
  const answer = decision === 'no' ? 'no' : `yes (${terms.join(', ')})`;
  return `${path}: ${answer}${note === undefined ? '' : `, ${note}`}`;
}
