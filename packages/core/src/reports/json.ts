/**
 * A run as JSON for programs: the complete record, view and log status, with sorted keys. Invisible characters are escaped, so
 * that the file is safe to show on a screen and still complete. Pure.
 */
import { hasInvisible } from '@crewagent/protocol/plain-text';
import { toStored } from '../store/work-records.ts';
import type { ExportSource } from './facts.ts';

export function toJson({ record, view, log, called = {} }: ExportSource): string {
  const calls = Object.keys(called).length > 0 ? { called } : {};
  const whole = { format: 'crewagent-run', version: 1, log, record: toStored(record), view, ...calls };
  const text = JSON.stringify(whole, inOrder, 2);
  return `${text.split('\n').map(escapeInvisible).join('\n')}\n`;
}

function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function escapeInvisible(line: string): string {
  if (!hasInvisible(line)) return line;
  return [...line].map((character) => (hasInvisible(character) ? toEscapes(character) : character)).join('');
}

function toEscapes(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
