/**
 * Keeps API keys out of everything that is stored, shown or sent: a marker replaces a key, and the key can be restored
 * where a tool needs it. Markers are derived from the key and the run, so only a process that knows the key can
 * create one. `hideKeys` wraps an adapter so that no reply contains its keys.
 */
import { createHmac } from 'node:crypto';
import { mapStrings } from '../base/map-strings.ts';
import type { ChatProgress, ChatWatch, LLMAdapter } from './llm-adapter.ts';

export interface KeyGuard {
  /** Replaces keys in all strings of the value by markers; returns the same value if there are none. */
  hide<T>(value: T): T;
  /** The text with its keys restored; undefined if it contains a marker of another key. */
  restore(text: string): string | undefined;
  /** Hides keys in a text that arrives in chunks. */
  createStream(): KeyStream;
}

export interface KeyStream {
  /** Returns the text that is safe to show. A possible beginning of a key is held back. */
  push(piece: string): string;
  /** Returns the text held back, when the stream is complete. */
  end(): string;
}

/** Shorter keys are placeholders of local servers (`none`, `lm-studio`) and ordinary words. */
const MIN_KEY_LENGTH = 12;
const MARKER = /\[API key hidden: [0-9a-f]{32}\]/;

/** `scope`: the id of the run or conversation. A guard without keys hides nothing and recognises no marker. */
export function createKeyGuard(apiKeys: readonly string[], scope: string): KeyGuard {
  const forms = apiKeys
    .filter((key) => key.length >= MIN_KEY_LENGTH)
    .flatMap((key) => toForms(key, scope))
    // A key may begin like another one.
    .sort((a, b) => b.spelling.length - a.spelling.length);
  const hideText = createReplacer(forms.map(({ spelling, marker }) => [spelling, marker]));
  /** Length of the longest suffix that may be the beginning of a key. */
  const heldLength = (text: string): number =>
    Math.max(0, ...forms.map(({ spelling }) => overlap(text, spelling)));

  const restoreText = createReplacer(forms.map(({ spelling, marker }) => [marker, spelling]));

  return {
    hide: (value) => (forms.length === 0 ? value : mapStrings(value, hideText)),
    restore(text) {
      const restored = restoreText(text);
      return MARKER.test(restored) ? undefined : restored;
    },
    createStream() {
      let held = '';
      return {
        push(piece) {
          const text = hideText(held + piece);
          const at = text.length - heldLength(text);
          held = text.slice(at);
          return text.slice(0, at);
        },
        end() {
          const rest = held;
          held = '';
          return rest;
        },
      };
    },
  };
}

/** Whether a text may contain a marker; `restore` checks exactly. */
export function hasMarker(text: string): boolean {
  return MARKER.test(text);
}

interface KeyForm {
  readonly spelling: string;
  readonly marker: string;
}

/** The key as it is, JSON-escaped and URL-encoded. Each spelling has its own marker, so that each can be restored. */
function toForms(apiKey: string, scope: string): KeyForm[] {
  const spellings = new Set([apiKey, JSON.stringify(apiKey).slice(1, -1), encodeURIComponent(apiKey)]);
  return [...spellings].map((spelling) => {
    const id = createHmac('sha256', apiKey).update(`${scope}\n${spelling}`).digest('hex').slice(0, 32);
    return { spelling, marker: `[API key hidden: ${id}]` };
  });
}

/** Replaces all texts in one pass: a replacement is never searched for another text. The first of several texts wins. */
function createReplacer(pairs: readonly (readonly [string, string])[]): (text: string) => string {
  if (pairs.length === 0) return (text) => text;
  const replacements = new Map(pairs);
  const pattern = pairs.map(([text]) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|');
  const all = new RegExp(pattern, 'g');
  return (text) => text.replace(all, (found) => replacements.get(found) ?? found);
}

function overlap(text: string, spelling: string): number {
  const longest = Math.min(text.length, spelling.length - 1);
  for (let length = longest; length > 0; length--) {
    if (text.endsWith(spelling.slice(0, length))) return length;
  }
  return 0;
}

/**
 * Wraps an adapter so that its API keys never appear in replies: text, reasoning and tool calls contain a marker
 * instead, also in chunks that split a key.
 */
export function hideKeys(adapter: LLMAdapter, apiKeys: readonly string[]): LLMAdapter {
  const known = apiKeys.map((key) => key.trim());
  return {
    get traits() {
      return adapter.traits;
    },
    apiKeys: known,
    async chat(request, watch) {
      const keys = createKeyGuard(known, watch.scope ?? '');
      const filter = filterProgress(watch, { text: keys.createStream(), reasoning: keys.createStream() });
      const outcome = await adapter.chat(request, { ...watch, onProgress: filter.onProgress });
      if (outcome.kind === 'reply') filter.end();
      return keys.hide(outcome);
    },
    close: () => adapter.close(),
  };
}

type Streams = Readonly<Record<'text' | 'reasoning', KeyStream>>;

function filterProgress(watch: ChatWatch, streams: Streams) {
  const emit = (type: keyof Streams, text: string): void => {
    if (text !== '') watch.onProgress({ type, text });
  };
  return {
    onProgress(progress: ChatProgress): void {
      if (progress.type === 'retry' || progress.type === 'key') {
        // Another attempt discards everything received so far, including the text held back.
        for (const stream of Object.values(streams)) stream.end();
        watch.onProgress(progress);
      } else if (progress.type === 'started') {
        watch.onProgress(progress);
      } else {
        emit(progress.type, streams[progress.type].push(progress.text));
      }
    },
    end(): void {
      emit('reasoning', streams.reasoning.end());
      emit('text', streams.text.end());
    },
  };
}
