/**
 * Line editor for conversations: history, Tab completion, continuation lines. Only for interactive terminals (see
 * `isInteractive`). Between two lines the terminal is not in raw mode, so that Ctrl-C is a signal.
 */
import { createInterface, type Interface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { hostProcess } from '../host-process.ts';
import { print, style } from '../terminal.ts';
import type { Completion } from './completions.ts';

export type Composer = ReturnType<typeof createComposer>;

export interface AskOptions {
  /** Completions for the text before the cursor. */
  complete(before: string): Promise<Completion>;
  /** Lines that list the completions. */
  describe(completion: Completion): readonly string[];
}

export type Composed =
  | { readonly kind: 'said'; readonly text: string }
  /** By Ctrl-C, by Ctrl-D, or because the signal was aborted. */
  | { readonly kind: 'left'; readonly by: 'interrupt' | 'end' | 'signal' };

/** A terminal without bracketed paste delivers pasted lines at once; nobody types two lines within this time. */
const PASTE_MS = 25;
const HISTORY_SIZE = 500;

export function createComposer(signal: AbortSignal) {
  const history: string[] = [];
  return {
    async ask(prompt: string, options: AskOptions): Promise<Composed> {
      if (signal.aborted) return { kind: 'left', by: 'signal' };
      const composed = await composeOnce(prompt, options, { signal, history: [...history] });
      if (composed.kind === 'said') addToHistory(history, composed.text);
      return composed;
    },
  };
}

/** Adds each line of the text; newest first, as `readline` expects it. */
function addToHistory(history: string[], text: string): void {
  for (const line of text.split('\n')) {
    if (line.trim() !== '' && line !== history[0]) history.unshift(line);
  }
  history.length = Math.min(history.length, HISTORY_SIZE);
}

function composeOnce(
  prompt: string,
  options: AskOptions,
  { signal, history }: { readonly signal: AbortSignal; readonly history: string[] },
): Promise<Composed> {
  return new Promise((resolve) => {
    const keys = openKeys();
    const more = style('dim', '… ');
    let lines: string[] = [];
    let isPasting = false;
    let timer: NodeJS.Timeout | undefined;
    let outcome: Composed = { kind: 'left', by: 'end' };
    const editor = createInterface({
      input: keys.stream,
      output: hostProcess().stdout,
      terminal: true,
      prompt,
      history,
      historySize: HISTORY_SIZE,
      completer: (before: string, done: (error: null, result: [string[], string]) => void) => {
        void completeIn(editor, before, options).then((result) => done(null, result));
      },
    });
    const leave = (by: 'interrupt' | 'signal'): void => {
      outcome = { kind: 'left', by };
      editor.close();
    };
    const onAbort = (): void => leave('signal');
    const finish = (): void => {
      outcome = { kind: 'said', text: lines.join('\n').replace(/\n+$/, '') };
      editor.close();
    };
    const promptContinuation = (): void => {
      editor.setPrompt(more);
      editor.prompt();
    };

    editor.on('line', (line) => {
      clearTimeout(timer);
      const isContinued = !isPasting && /(?<!\\)(?:\\\\)*\\$/.test(line);
      lines.push(isContinued ? line.slice(0, -1) : line);
      if (isPasting || isContinued) {
        promptContinuation();
        return;
      }
      timer = setTimeout(() => {
        // The last pasted line has no line break yet.
        if (editor.line === '') finish();
      }, PASTE_MS);
    });
    editor.on('SIGINT', () => {
      if (editor.line === '' && lines.length === 0) {
        leave('interrupt');
        return;
      }
      clearTimeout(timer);
      clearLine(editor);
      if (lines.length > 0) print();
      lines = [];
      editor.setPrompt(prompt);
      editor.prompt();
    });
    editor.on('close', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      keys.close();
      if (outcome.kind === 'left') print();
      resolve(outcome);
    });
    signal.addEventListener('abort', onAbort, { once: true });
    keys.open((text) => {
      isPasting = true;
      insertPasted(editor, text);
      isPasting = false;
    });
    editor.prompt();
  });
}

function clearLine(editor: Interface): void {
  editor.write(null, { ctrl: true, name: 'e' });
  editor.write(null, { ctrl: true, name: 'u' });
}

/** Submits all but the last pasted line, which stays editable. */
function insertPasted(editor: Interface, text: string): void {
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  const afterCursor = editor.line.slice(editor.cursor);
  if (lines.length > 0) editor.write(null, { ctrl: true, name: 'k' });
  for (const line of lines) {
    if (line !== '') editor.write(line);
    editor.write(null, { name: 'return' });
  }
  if (last !== '') editor.write(last);
  if (lines.length > 0 && afterCursor !== '') editor.write(afterCursor);
}

/** Completes the line; lists the hits instead if they have no longer prefix in common. */
async function completeIn(
  editor: Interface,
  before: string,
  { complete, describe }: AskOptions,
): Promise<[string[], string]> {
  const completion = await complete(before);
  const texts = completion.hits.map(({ text }) => text);
  if (texts.length < 2 || commonPrefix(texts).length > completion.from.length)
    return [texts, completion.from];
  print();
  for (const line of describe(completion)) print(line);
  editor.prompt(true);
  return [[], completion.from];
}

function commonPrefix(texts: readonly string[]): string {
  const [first = '', ...others] = texts;
  let length = first.length;
  for (const text of others) while (!text.startsWith(first.slice(0, length))) length--;
  return first.slice(0, length);
}

/** Standard input without pastes, which go to `onPaste`. */
function openKeys() {
  const { stdin, stdout, env } = hostProcess();
  const isMarking = env.TERM !== 'dumb';
  const stream = Object.assign(new PassThrough(), {
    setRawMode: (isRaw: boolean) => stdin.setRawMode?.(isRaw),
  });
  const decoder = new StringDecoder('utf8');
  const filter = createPasteFilter();
  let onPaste: (text: string) => void = () => undefined;
  const onData = (chunk: Buffer | string): void => {
    const text = typeof chunk === 'string' ? chunk : decoder.write(chunk);
    for (const piece of filter.push(text)) {
      // Emitted synchronously, not written: keys and pastes must keep their order.
      if (piece.kind === 'keys') stream.emit('data', piece.text);
      else onPaste(piece.text);
    }
  };
  const onLost = (): void => {
    stream.emit('end');
  };
  return {
    stream,
    open(listener: typeof onPaste): void {
      onPaste = listener;
      if (isMarking) stdout.write(ENABLE_BRACKETED_PASTE);
      stdin.on('data', onData);
      stdin.on('error', onLost);
      stdin.resume();
    },
    close(): void {
      stdin.off('data', onData);
      stdin.off('error', onLost);
      stdin.pause();
      if (isMarking) stdout.write(DISABLE_BRACKETED_PASTE);
    },
  };
}

export interface InputChunk {
  readonly kind: 'keys' | 'paste';
  readonly text: string;
}

/** Switches bracketed paste mode on and off. */
const ENABLE_BRACKETED_PASTE = '\u001b[?2004h';
const DISABLE_BRACKETED_PASTE = '\u001b[?2004l';

const START = '\u001b[200~';
const END = '\u001b[201~';

/** Separates pasted text from typed keys, with bracketed paste mode. Chunks may end anywhere. */
export function createPasteFilter() {
  let held = '';
  let isPasting = false;
  return {
    push(text: string): readonly InputChunk[] {
      const found: InputChunk[] = [];
      const add = (kind: InputChunk['kind'], content: string): void => {
        if (content !== '' || kind === 'paste') found.push({ kind, text: content });
      };
      let remaining = held + text;
      held = '';
      for (;;) {
        const mark = isPasting ? END : START;
        const at = remaining.indexOf(mark);
        if (at === -1) break;
        add(
          isPasting ? 'paste' : 'keys',
          isPasting ? toPasted(remaining.slice(0, at)) : remaining.slice(0, at),
        );
        remaining = remaining.slice(at + mark.length);
        isPasting = !isPasting;
      }
      if (isPasting) {
        held = remaining;
        return found;
      }
      const begun = partialMarkLength(START, remaining);
      held = remaining.slice(remaining.length - begun);
      add('keys', remaining.slice(0, remaining.length - begun));
      return found;
    },
  };
}

/** Length of the mark's prefix that the text ends with. A lone escape is a key. */
function partialMarkLength(mark: string, text: string): number {
  for (let length = mark.length - 1; length > 1; length--)
    if (text.endsWith(mark.slice(0, length))) return length;
  return 0;
}

/** Removes control characters: a paste contains no keys and no terminal escape sequences. */
function toPasted(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
  return text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}
