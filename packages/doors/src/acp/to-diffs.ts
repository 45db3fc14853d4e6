/**
 * A unified diff as the editor shows it: old and new text of each part that differs, with the line where it begins. Pure.
 *
 * The texts are those of the diff, which is what a person approves; the files themselves are not read.
 */
import { toVisibleText } from '@crewagent/protocol/visible-text';
import { parsePatch, type StructuredPatchHunk } from 'diff';

export interface DiffPart {
  /** As in the diff: a mount path, or a path of the project. */
  readonly path: string;
  /** Null if the file is new. */
  readonly oldText: string | null;
  readonly newText: string;
  readonly line: number;
}

const MAX_PARTS = 100;
const NOTHING = '/dev/null';

/** Undefined if the text must be shown as it is: it is no plain diff, or contains characters that an editor would not show. */
export function toDiffs(text: string): readonly DiffPart[] | undefined {
  const lines = text.replaceAll('\r\n', '\n');
  if (toVisibleText(lines) !== lines) return undefined;
  const files = tryParse(lines);
  const parts = files?.flatMap(({ oldFileName = '', newFileName = '', hunks }) =>
    hunks.map((hunk) => ({
      path: newFileName === NOTHING ? oldFileName : newFileName,
      oldText: oldFileName === NOTHING ? null : sideOf(hunk, '-'),
      newText: sideOf(hunk, '+'),
      line: Math.max(1, hunk.newStart),
    })),
  );
  return parts && parts.length > 0 && parts.length <= MAX_PARTS ? parts : undefined;
}

function tryParse(text: string): ReturnType<typeof parsePatch> | undefined {
  try {
    return parsePatch(text);
  } catch {
    return undefined;
  }
}

/** The text of one side: lines of both sides and its own. */
function sideOf({ lines }: StructuredPatchHunk, own: '-' | '+'): string {
  let [text, isShown] = ['', false];
  for (const line of lines) {
    if (line.startsWith('\\')) {
      // "\ No newline at end of file" is about the line before it.
      if (isShown) text = text.slice(0, -1);
      continue;
    }
    isShown = line.startsWith(own) || line.startsWith(' ');
    if (isShown) text += `${line.slice(1)}\n`;
  }
  return text;
}
