/**
 * A file's text in the editor and back: lines end with `\n` there, and as they did in the file when it is saved. A file that
 * mixes both keeps every end as it is.
 */
import type { LineEnding } from '@crewagent/protocol/api/files';

export function toEditorText({
  text,
  lineEnding,
}: {
  readonly text: string;
  readonly lineEnding: LineEnding;
}): string {
  return lineEnding === 'crlf' ? text.replaceAll('\r\n', '\n') : text;
}

export function toFileText(text: string, lineEnding: LineEnding): string {
  return lineEnding === 'crlf' ? text.replaceAll('\n', '\r\n') : text;
}
