/**
 * The text of a state document: the line of a finding, and setting the current node. The gate's details are parsed defensively.
 * Pure.
 */
import type { StateVerdict } from '@crewagent/protocol/api/works-inspector';
import { isObject } from '@crewagent/protocol/json-object';

export type Refusal = Extract<StateVerdict, { ok: false }>['error'];

export interface Finding {
  /** Line number, from 1. */
  readonly line: number;
  readonly message: string;
  readonly severity: 'error';
}

export function toFindings({ code, message, details = {} }: Refusal, text: string): readonly Finding[] {
  const severity = 'error';
  if (typeof details.line === 'number') return [{ line: clampLine(details.line, text), message, severity }];
  const fields = withTexts(details.fields, 'path', 'message');
  if (fields.length > 0)
    return fields.map((field) => ({ line: lineOf(text, field.path), message: field.message, severity }));
  if (code === 'STATE_CHANGE_REQUIRES_CONFIRMATION') return [];
  const field = typeof details.field === 'string' ? details.field : 'currentNodeId';
  return [{ line: lineOf(text, field), message, severity }];
}

/** The line of a field such as `artifacts.0`, or of its longest existing prefix. */
export function lineOf(text: string, path: string): number {
  const lines = text.split('\n');
  let found = 0;
  for (const segment of path.split('.')) {
    const next = findSegment(lines, found, segment);
    if (next === undefined) break;
    found = next;
  }
  return found + 1;
}

function findSegment(lines: readonly string[], start: number, segment: string): number | undefined {
  let items = -1;
  for (let index = start + 1; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (/^---\s*$/.test(line)) return undefined;
    if (/^\s*-(?:\s|$)/.test(line)) items++;
    if (/^\d+$/.test(segment) && items === Number(segment)) return index;
    const key = start === 0 ? line : line.trimStart().replace(/^- +/, '');
    if (key.startsWith(`${segment}:`)) return index;
    // The next top-level key ends the field.
    if (start > 0 && /^\S/.test(line) && !line.startsWith('-')) return undefined;
  }
  return undefined;
}

function clampLine(line: number, text: string): number {
  return Math.min(Math.max(1, Math.round(line)), text.split('\n').length);
}

/** Allowed transitions from the current node. */
export function toAllowedNext({ details = {} }: Refusal): readonly Record<'to' | 'label', string>[] {
  return withTexts(details.allowedNext, 'to', 'label');
}

/** The objects of an untrusted list that have all of these texts. */
function withTexts<Key extends string>(list: unknown, ...keys: Key[]): readonly Record<Key, string>[] {
  const hasTexts = (value: unknown): value is Record<Key, string> =>
    isObject(value) && keys.every((key) => typeof value[key] === 'string');
  return Array.isArray(list) ? list.filter(hasTexts) : [];
}

/** Replaces the current node; returns the text unchanged if it has no frontmatter. */
export function withCurrentNode(text: string, nodeId: string): string {
  const value = /^[A-Za-z][\w-]*$/.test(nodeId) ? nodeId : JSON.stringify(nodeId);
  const [, head] = /^(---\r?\n[\s\S]*?\r?\n)---/.exec(text) ?? [];
  if (head === undefined) return text;
  const rest = text.slice(head.length);
  const line = /^currentNodeId:.*$/m;
  if (line.test(head)) return head.replace(line, () => `currentNodeId: ${value}`) + rest;
  return head.replace(/^---\r?\n/, (open) => `${open}currentNodeId: ${value}\n`) + rest;
}
