/**
 * Sends what is new in the story of a session to its editor. The next updates are computed when the editor has taken the last ones,
 * so that a slow editor gets fewer and larger ones, and nothing piles up.
 */
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { RunEvent } from '@crewagent/protocol/events';
import { calledStory, type WorkStory } from '@crewagent/protocol/story/work-story';
import { type Entry, type EntryOptions, toEntries } from './to-entries.ts';
import { toPlan } from './to-plan.ts';

export interface StoryFeed {
  onEvent(event: RunEvent): void;
  /** An update that is not part of the story; sent once, after what is new. */
  add(update: SessionUpdate): void;
  /** A message to the person that is not part of the story. */
  note(text: string): void;
  /** Sends the answer to this question as a message: it was not typed as one. */
  echoAnswer(callId: string): void;
  /** Resolves when the editor has everything. */
  flush(): Promise<void>;
  close(): void;
}

export interface FeedOptions extends EntryOptions {
  readonly view: WorkStory;
  /** Whether the editor shows notices; else they are messages. */
  readonly hasNotices: boolean;
  /** Resolves when the update was written. */
  send(update: SessionUpdate): Promise<void>;
}

/** Deltas that come within this time are one update. */
const FRAME_MS = 30;

/** `isReplay`: everything in the story is sent, with what the person said; else only what is new. */
export function createStoryFeed(options: FeedOptions, isReplay: boolean): StoryFeed {
  const story = new SentStory(options, isReplay);
  const added: SessionUpdate[] = [];
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();

  const drain = async (): Promise<void> => {
    for (;;) {
      const updates = [...story.next(), ...added.splice(0)];
      if (updates.length === 0) return;
      for (const update of updates) {
        if (isClosed) return;
        await options.send(update);
      }
    }
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    // An error means that the connection is closed: nobody reads any more.
    sending = sending.then(drain).catch(() => {
      isClosed = true;
    });
    return sending;
  };
  const schedule = (): void => {
    if (!isClosed) timer ??= setTimeout(() => void flush(), FRAME_MS);
  };
  return {
    onEvent(event) {
      if (event.type !== 'message.delta' && event.type !== 'reasoning.delta') story.hasItems = true;
      schedule();
    },
    add(update) {
      added.push(update);
      schedule();
    },
    note(text) {
      added.push(story.toNote(text));
      schedule();
    },
    echoAnswer: (callId) => void story.echoed.add(callId),
    flush,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** What the editor has of the story. */
class SentStory {
  /** Set when the story has changed otherwise than by a delta. */
  hasItems = true;
  /** Questions whose answer is sent. */
  readonly echoed = new Set<string>();
  private readonly options: FeedOptions;
  private readonly isReplay: boolean;
  private readonly calls = new Map<string, string>();
  private readonly messages = new Set<string>();
  private plan = '[]';
  private messageCount = 0;
  /** The reply that is streamed, as far as it was sent. */
  private stream = NO_STREAM;
  private isAfterText = false;

  constructor(options: FeedOptions, isReplay: boolean) {
    this.options = options;
    this.isReplay = isReplay;
    if (!isReplay) for (const entry of toEntries(options.view, options)) this.skip(entry);
  }

  next(): SessionUpdate[] {
    const updates: SessionUpdate[] = [];
    const { view } = this.options;
    if (this.hasItems) {
      this.hasItems = false;
      for (const entry of toEntries(view, this.options)) updates.push(...this.toUpdates(entry));
      updates.push(...this.toPlanUpdate());
    }
    const { streaming } = calledStory(view);
    if (streaming) updates.push(...this.toReplyUpdates(streaming.text, streaming.reasoning));
    return updates;
  }

  private skip(entry: Entry): void {
    if (entry.kind === 'call') this.calls.set(entry.id, JSON.stringify(entry.call));
    else this.messages.add(entry.id);
  }

  private toUpdates(entry: Entry): SessionUpdate[] {
    if (entry.kind === 'call') {
      const before = this.calls.get(entry.id);
      this.skip(entry);
      if (this.calls.get(entry.id) === before) return [];
      this.isAfterText = false;
      return before === undefined
        ? [{ sessionUpdate: 'tool_call', ...entry.call }]
        : [{ sessionUpdate: 'tool_call_update', ...entry.call }];
    }
    if (this.messages.has(entry.id)) return [];
    this.skip(entry);
    switch (entry.kind) {
      case 'reply': {
        const updates = this.toReplyUpdates(entry.text, entry.reasoning ?? '');
        this.stream = NO_STREAM;
        return updates;
      }
      case 'notice': {
        const { level: severity, text: title } = entry;
        if (this.options.hasNotices) return [{ sessionUpdate: 'notice', severity, title }];
        return [this.toNote(severity === 'info' ? title : `⚠ ${title}`)];
      }
      case 'person': {
        // An editor shows what its person typed by itself.
        const isEchoed = entry.answers !== undefined && this.echoed.has(entry.answers);
        if (!this.isReplay && !isEchoed) return [];
        this.isAfterText = false;
        return [toChunk('user_message_chunk', `${++this.messageCount}`, entry.text)];
      }
    }
  }

  /** What was not sent of a reply, which may be incomplete. */
  private toReplyUpdates(text: string, reasoning: string): SessionUpdate[] {
    // If the request was sent again, what was shown of the first reply stays.
    const isContinued = continues(text, this.stream.text) && continues(reasoning, this.stream.reasoning);
    const sent = isContinued ? this.stream : NO_STREAM;
    const more = { text: text.slice(sent.text.length), reasoning: reasoning.slice(sent.reasoning.length) };
    if (more.text === '' && more.reasoning === '') return [];
    if (sent === NO_STREAM) this.messageCount++;
    const id = this.messageCount;
    this.stream = { text: sent.text + more.text, reasoning: sent.reasoning + more.reasoning };
    return [
      ...(more.reasoning === '' ? [] : [toChunk('agent_thought_chunk', `${id}t`, more.reasoning)]),
      ...(more.text === '' ? [] : [this.toText(more.text, id, sent.text === '')]),
    ];
  }

  toNote(text: string): SessionUpdate {
    return this.toText(text, ++this.messageCount, true);
  }

  /** Editors that join messages keep paragraphs apart. */
  private toText(text: string, id: number, isNew: boolean): SessionUpdate {
    const lead = isNew && this.isAfterText ? '\n\n' : '';
    this.isAfterText = true;
    return toChunk('agent_message_chunk', `${id}`, lead + text);
  }

  private toPlanUpdate(): SessionUpdate[] {
    const entries = toPlan(this.options.view);
    const text = JSON.stringify(entries);
    if (text === this.plan) return [];
    this.plan = text;
    return [{ sessionUpdate: 'plan', entries }];
  }
}

const NO_STREAM: { readonly text: string; readonly reasoning: string } = { text: '', reasoning: '' };

function continues(text: string, sent: string): boolean {
  return text.startsWith(sent) || sent.startsWith(text);
}

function toChunk(
  sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk',
  messageId: string,
  text: string,
): SessionUpdate {
  return { sessionUpdate, messageId, content: { type: 'text', text } };
}
