/**
 * Converts a file's text for the editor and back: lines end with `\n` in the editor, and with the original line ending when saved.
 * A file with mixed line endings keeps each of them.
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
