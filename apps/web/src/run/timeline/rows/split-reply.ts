/**
 * Splits a reply into parts that are rows of their own, so that a long one is mounted as far as it is near the view, and a growing
 * one changes at its end only. A part begins where a block of Markdown begins whatever precedes it: each part looks as it would
 * within the whole text.
 */

export interface SplitReply {
  /** The parts that will not change; keeps its identity until one is added. */
  readonly completed: readonly string[];
  /** The last part, which may grow. */
  readonly last: string;
  /** Link definitions of all parts, as Markdown. */
  readonly definitions: string;
}

/** In characters; a part is as long as its last block needs. */
export const SHORTEST_PART = 800;

export function splitReply(text: string): SplitReply {
  return createReplySplitter()(text);
}

/** For a growing text: each call costs as much as what was added, and the last part. */
export function createReplySplitter(): (text: string) => SplitReply {
  let state = begin();
  return (text) => {
    const isGrown = text.length >= state.at && text.startsWith(state.tail, state.start);
    if (!isGrown) state = begin();
    readLines(text, state);
    const { completed, definitions, start } = state;
    return { completed, last: text.slice(start), definitions };
  };
}

interface State {
  completed: readonly string[];
  definitions: string;
  /** Where the last part begins. */
  start: number;
  /** The end of the lines that were read. */
  at: number;
  /** The text from `start` to `at`. */
  tail: string;
  /** What ends the verbatim block that is open: nothing in it begins a part. */
  closing: RegExp | undefined;
  /** That block is indented. Text that is not ends it if it is part of a list, which is not known here: the rest is one part. */
  isIndented: boolean;
  isBehindEmpty: boolean;
}

function begin(): State {
  return {
    ...{ completed: [], definitions: '', start: 0, at: 0, tail: '' },
    ...{ closing: undefined, isIndented: false, isBehindEmpty: false },
  };
}

/** Only complete lines: what a line begins with may not have arrived. */
function readLines(text: string, state: State): void {
  for (let end = text.indexOf('\n', state.at); end >= 0; end = text.indexOf('\n', state.at)) {
    const line = text.slice(state.at, end);
    const isLongEnough = state.at - state.start >= SHORTEST_PART;
    if (!state.closing && state.isBehindEmpty && isLongEnough && BEGINNING.test(line)) {
      state.completed = [...state.completed, text.slice(state.start, state.at)];
      state.start = state.at;
    }
    if (state.closing) {
      if (state.closing.test(line)) state.closing = undefined;
      else if (state.isIndented && /^\S/.test(line)) state.closing = NEVER;
    } else {
      state.closing = closingOf(line);
      state.isIndented = /^\s/.test(line);
      if (!state.closing && DEFINITION.test(line)) state.definitions += `${line}\n`;
    }
    state.isBehindEmpty = line.trim() === '';
    state.at = end + 1;
  }
  state.tail = text.slice(state.start, state.at);
}

/**
 * A heading, a fence or a paragraph that is not indented ends everything above it. An item continues its list, a quote, a row and
 * a definition may belong to what precedes them, and so may anything that is indented.
 */
const BEGINNING = /^(?:#{1,6}\s|`{3,}|~{3,}|\*\*|(?![-*+]\s|\d{1,9}[.)](?:\s|$)|[#\s>|<[:`~$\\=-])\S)/;
const DEFINITION = /^ {0,3}\[[^\]]+\]:\s*\S/;

const NEVER = /(?!)/;

function closingOf(line: string): RegExp | undefined {
  const [, fence] = /^\s*(`{3,}(?=[^`]*$)|~{3,})/.exec(line) ?? [];
  if (fence !== undefined) return new RegExp(`^\\s*${fence[0]}{${fence.length},}\\s*$`);
  const [, opening] = /^ {0,3}(\$\$|\\\[|<!--|<(?:pre|script|style|textarea)\b)/i.exec(line) ?? [];
  if (opening === undefined) return undefined;
  const closing = VERBATIM.get(opening) ?? /<\/(?:pre|script|style|textarea)>/i;
  return closing.test(line.slice(line.indexOf(opening) + opening.length)) ? undefined : closing;
}

const VERBATIM: ReadonlyMap<string, RegExp> = new Map([
  ['$$', /\$\$/],
  ['\\[', /\\\]/],
  ['<!--', /-->/],
]);
