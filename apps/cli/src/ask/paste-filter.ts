/**
 * Separates pasted text from typed keys in terminal input, with bracketed paste mode. Chunks may end anywhere.
 */
export interface PasteFilter {
  push(text: string): readonly InputChunk[];
}

export interface InputChunk {
  readonly kind: 'keys' | 'paste';
  readonly text: string;
}

/** Switches bracketed paste mode on and off. */
export const ENABLE_BRACKETED_PASTE = '\u001b[?2004h';
export const DISABLE_BRACKETED_PASTE = '\u001b[?2004l';

const START = '\u001b[200~';
const END = '\u001b[201~';

export function createPasteFilter(): PasteFilter {
  let held = '';
  let isPasting = false;
  return {
    push(text) {
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
