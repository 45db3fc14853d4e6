/**
 * Makes text of a model, a package or a project safe to display. React escapes HTML; this handles the rest: terminal sequences,
 * direction overrides and invisible characters.
 */
import { toPlainText } from '@crewagent/protocol/plain-text';

/** Single-line text: names, paths, labels. */
export function toShownLine(text: string): string {
  return toPlainText(withoutTerminalSequences(text));
}

/** Multi-line verbatim text: code, results, logs. */
export function toShownText(text: string): string {
  return withoutTerminalSequences(text)
    .split(/\r\n|\r|\n/)
    .map((line) => line.split('\t').map(toPlainText).join('\t'))
    .join('\n');
}

/** Prose in any language: joiners stay between letters and within emoji. */
export function toShownProse(text: string): string {
  if (!JOINER.test(text)) return toShownText(text);
  return text
    .split(BETWEEN_JOINED)
    .map((part, index) => (index % 2 === 1 ? part : toShownText(part)))
    .join('');
}

const JOINER = /\u200c|\u200d/u;
const BETWEEN_JOINED =
  /(?<=[\p{L}\p{M}\p{Extended_Pictographic}]|\ufe0f)(\u200c|\u200d)(?=[\p{L}\p{Extended_Pictographic}])/u;

function withoutTerminalSequences(text: string): string {
  return text.includes('\u001b') ? text.replace(TERMINAL_SEQUENCE, '') : text;
}

const TERMINAL_SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters on purpose
  /\u001b(?:\[[0-9;:<=>?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
