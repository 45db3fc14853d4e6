/**
 * Texts of an export. Untrusted text keeps its lines and loses invisible characters, and its length is limited. Pure.
 */
import { toPlainText } from '@crewagent/protocol/plain-text';
import type { PhaseReason, RunPhase } from '@crewagent/protocol/run';
import type { Words } from './words.ts';

export interface Fact {
  readonly name: string;
  readonly value: string;
}

const MAX_LINE = 2_000;

/** Names, titles, paths and sentences: always one line. */
export function toLine(text: string): string {
  return toPlainText(text.length > MAX_LINE ? `${cut(text, MAX_LINE)}…` : text);
}

export function toBlock(text: string, maxLength: number, { t }: Words): string {
  const shown = text.length > maxLength ? cut(text, maxLength) : text;
  const lines = shown.split(/\r\n|\n|\r/).map((line) => toPlainText(line.replaceAll('\t', '    ')).trimEnd());
  const left = text.length - shown.length;
  return left > 0 ? `${lines.join('\n')}\n${t('omitted', { count: left })}` : lines.join('\n').trimEnd();
}

/** Never cuts inside a surrogate pair. */
function cut(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

export function describePhase(phase: RunPhase, reason: PhaseReason | undefined, { t }: Words): string {
  const name = t(`phase.${phase}`);
  return reason ? `${name}: ${reason.message} (${reason.code})` : name;
}

export function toTime(iso: string): string {
  return iso.slice(11, 19);
}
