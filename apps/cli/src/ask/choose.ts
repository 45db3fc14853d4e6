/**
 * A list at the terminal from which a person chooses with the arrow keys. Any other key ends the list and is left in the input, for
 * a prompt: numbers, own words and commands are typed as ever.
 */
import { hostProcess } from '../host-process.ts';
import { wrapLine } from '../print/text/wrap.ts';
import { style } from '../terminal.ts';

export interface ChoiceList {
  /** Sanitized. */
  readonly options: readonly string[];
  readonly isMulti?: boolean;
  /** The option that is current at first; of several, those that are marked. */
  readonly initial?: readonly number[] | undefined;
  /** What the keys do, below the list. */
  readonly hint: string;
}

export type Choice =
  | { readonly kind: 'chosen'; readonly indexes: readonly number[] }
  | { readonly kind: 'typing' }
  | { readonly kind: 'left' };

/** The numbered options, as they are printed where nothing can be moved. */
export function describeOptions(options: readonly string[]): string[] {
  return options.map((option, index) => `    ${index + 1}. ${option}`);
}

/** Prints the list. Without raw keys, or room for the list, the person types at once. */
export async function choose(list: ChoiceList, signal?: AbortSignal): Promise<Choice> {
  const { stdin, stdout, env } = hostProcess();
  const isPossible = stdin.setRawMode !== undefined && env.TERM !== 'dumb' && !signal?.aborted;
  const picture = createPicture(list);
  if (!isPossible || picture.height() >= (stdout.rows || 24)) {
    stdout.write(`${describeOptions(list.options).join('\n')}\n`);
    return { kind: 'typing' };
  }
  picture.draw();
  const choice = await readChoice(list, picture, signal);
  picture.end(choice);
  return choice;
}

type Picture = ReturnType<typeof createPicture>;

/** Draws the list over itself. */
function createPicture({ options, isMulti, hint, initial = [] }: ChoiceList) {
  const { stdout } = hostProcess();
  const width = (stdout.columns || 80) - 1;
  const digits = `${options.length}`.length;
  const marked = new Set(isMulti ? initial : []);
  let [current, drawn] = [initial[0] ?? 0, 0];

  const lineOf = (option: string, index: number): string[] => {
    const isCurrent = index === current;
    const box = isMulti ? `[${marked.has(index) ? 'x' : ' '}] ` : '';
    const lead = `${isCurrent ? '›' : ' '} ${box}${`${index + 1}`.padStart(digits)}. `;
    const lines = wrapLine(`  ${lead}${option}`, width, ' '.repeat(2 + lead.length));
    return isCurrent ? lines.map((line) => style('cyan', line)) : lines;
  };
  const toLines = (hasHint: boolean): string[] => [
    ...options.flatMap(lineOf),
    ...(hasHint ? wrapLine(`  ${hint}`, width).map((line) => style('dim', line)) : []),
  ];
  const draw = (lines = toLines(true)): void => {
    const up = drawn === 0 ? '' : `\u001b[${drawn}A\r\u001b[J`;
    stdout.write(`${up}${lines.map((line) => `${line}\n`).join('')}`);
    drawn = lines.length;
  };
  return {
    draw,
    height: () => toLines(true).length,
    move(by: number): void {
      current = (current + by + options.length) % options.length;
      draw();
    },
    mark(): void {
      if (!marked.delete(current)) marked.add(current);
      draw();
    },
    /** With nothing marked, the current option is meant. */
    chosen: (): number[] =>
      isMulti && marked.size > 0 ? [...marked].sort((one, other) => one - other) : [current],
    /** Replaces the list by the choice; a list from which nothing was chosen stays, without a mark. */
    end(choice: Choice): void {
      if (choice.kind === 'chosen') {
        const names = choice.indexes.map((index) => options[index]).join(', ');
        draw(wrapLine(`${style('cyan', '›')} ${names}`, width, '  '));
        return;
      }
      current = -1;
      draw(toLines(false));
    },
  };
}

/** How long the rest of an escape sequence may take, before the escape is a key. */
const ESCAPE_MS = 50;
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are control characters
const KEY = /\u001b(?:\[[\d;]*[A-Za-z~]|O[A-Z])|[\s\S]/gu;

function readChoice(list: ChoiceList, picture: Picture, signal: AbortSignal | undefined): Promise<Choice> {
  const { stdin } = hostProcess();
  return new Promise((resolve) => {
    let held = '';
    let timer: NodeJS.Timeout | undefined;
    const finish = (choice: Choice, rest = ''): void => {
      clearTimeout(timer);
      stdin.off('data', onData);
      stdin.off('error', onLeave);
      signal?.removeEventListener('abort', onLeave);
      stdin.setRawMode?.(false);
      stdin.pause();
      if (rest !== '') stdin.unshift(Buffer.from(rest));
      resolve(choice);
    };
    const onLeave = (): void => finish({ kind: 'left' });
    const onData = (chunk: Buffer | string): void => {
      clearTimeout(timer);
      const text = held + chunk.toString();
      held = '';
      for (const { 0: key, index } of text.matchAll(KEY)) {
        // A lone escape at the end may be the beginning of a sequence.
        if (key === '\u001b' && ['', '[', 'O'].includes(text.slice(index + 1))) {
          held = text.slice(index);
          timer = setTimeout(() => finish({ kind: 'left' }), ESCAPE_MS);
          return;
        }
        const step = STEPS.get(key);
        if (step !== undefined) picture.move(step);
        else if (key === ' ' && list.isMulti) picture.mark();
        else if (key === '\r' || key === '\n') {
          finish({ kind: 'chosen', indexes: picture.chosen() }, text.slice(index + 1));
          return;
        } else if (LEAVES.has(key)) {
          finish({ kind: 'left' });
          return;
        } else if (!key.startsWith('\u001b')) {
          finish({ kind: 'typing' }, text.slice(index));
          return;
        }
      }
    };
    stdin.setRawMode?.(true);
    stdin.on('data', onData);
    stdin.on('error', onLeave);
    stdin.resume();
    signal?.addEventListener('abort', onLeave, { once: true });
  });
}

const STEPS: ReadonlyMap<string, number> = new Map([
  ['\u001b[A', -1],
  ['\u001bOA', -1],
  ['\u001b[B', 1],
  ['\u001bOB', 1],
  ['\u001b[Z', -1],
  ['\t', 1],
]);

/** Escape, Ctrl-C, Ctrl-D. */
const LEAVES: ReadonlySet<string> = new Set(['\u001b', '\u0003', '\u0004']);
