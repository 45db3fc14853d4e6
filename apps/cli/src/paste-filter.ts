/**
 * Tells what was pasted from what was typed, in what a terminal sends: a paste is put between two marks where the terminal
 * was asked to. Pieces may end anywhere.
 */
export interface PasteFilter {
  push(text: string): readonly Typed[];
}

export interface Typed {
  readonly kind: 'keys' | 'paste';
  readonly text: string;
}

/** Asks the terminal to mark what is pasted, and not to. */
export const MARK_PASTES = '\u001b[?2004h';
export const UNMARK_PASTES = '\u001b[?2004l';

const START = '\u001b[200~';
const END = '\u001b[201~';

export function createPasteFilter(): PasteFilter {
  let held = '';
  let isPasting = false;
  return {
    push(text) {
      const found: Typed[] = [];
      const add = (kind: Typed['kind'], words: string): void => {
        if (words !== '' || kind === 'paste') found.push({ kind, text: words });
      };
      let left = held + text;
      held = '';
      for (;;) {
        const mark = isPasting ? END : START;
        const at = left.indexOf(mark);
        if (at === -1) break;
        add(isPasting ? 'paste' : 'keys', isPasting ? toPasted(left.slice(0, at)) : left.slice(0, at));
        left = left.slice(at + mark.length);
        isPasting = !isPasting;
      }
      if (isPasting) {
        held = left;
        return found;
      }
      const begun = beginningOf(START, left);
      held = left.slice(left.length - begun);
      add('keys', left.slice(0, left.length - begun));
      return found;
    },
  };
}

/** How much of the mark the text ends with. An escape alone is a key. */
function beginningOf(mark: string, text: string): number {
  for (let length = mark.length - 1; length > 1; length--)
    if (text.endsWith(mark.slice(0, length))) return length;
  return 0;
}

/** Text, whatever it was: nothing in it is a key, and nothing a terminal would obey when it is shown. */
function toPasted(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
  return text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}
