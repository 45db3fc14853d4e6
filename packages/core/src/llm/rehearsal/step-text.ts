/**
 * Finds the text of a step or a script: in the anchor, in one complete read, or in several reads of a large file.
 * Pure.
 */
import { withoutLineNumbers } from '@crewagent/protocol/numbered-lines';
import type { MadeCall } from './visit.ts';

export interface TextSources {
  /** The text in the anchor. */
  readonly sent: string | undefined;
  readonly path: string;
  readonly calls: readonly MadeCall[];
}

export type StepText =
  | { readonly text: string }
  /** Arguments of the reads that are still needed. */
  | { readonly reads: readonly Record<string, unknown>[] };

/** At most this many further reads of the preview's length; later text is ignored. */
const MAX_PIECES = 8;

export function findStepText({ sent, path, calls }: TextSources): StepText {
  if (sent !== undefined) return { text: sent };
  const reads = calls.filter(({ name, args }) => name === 'fs_read' && args.path === path);
  const first = reads.find(({ args }) => args.startLine === undefined);
  if (!first) return { reads: [{ path }] };
  const beginning = textOf(first);
  const pieces = piecesAfter(first, beginning).map((piece) => ({
    piece: { path, ...piece },
    read: reads.find(({ args }) => args.startLine === piece.startLine),
  }));
  const missing = pieces.filter(({ read }) => read === undefined);
  if (missing.length > 0) return { reads: missing.map(({ piece }) => piece) };
  return { text: [beginning, ...pieces.map(({ read }) => (read ? textOf(read) : ''))].join('') };
}

/** An unreadable step has no text. */
function textOf({ result }: MadeCall): string {
  if (!result.ok) return '';
  const { content, contentPreview } = result.value;
  const text = content ?? contentPreview;
  return typeof text === 'string' ? withoutLineNumbers(text) : '';
}

function piecesAfter({ result }: MadeCall, beginning: string): { startLine: number; endLine: number }[] {
  if (!result.ok || result.value.truncated !== true) return [];
  const { totalLines } = result.value;
  if (typeof totalLines !== 'number') return [];
  const length = Math.max(1, beginning.split('\n').length - 1);
  const pieces: { startLine: number; endLine: number }[] = [];
  for (let line = length + 1; line <= totalLines && pieces.length < MAX_PIECES; line += length) {
    pieces.push({ startLine: line, endLine: Math.min(line + length - 1, totalLines) });
  }
  return pieces;
}
