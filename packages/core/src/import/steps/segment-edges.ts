/**
 * Edges between the steps of one instruction: the order of their numbers, jumps ("GOTO step 3", `<goto step="3">`), exits and
 * calls of other workflows, each with its enclosing `<check if="…">`. Pure.
 */
import type { Evidence } from '@crewagent/protocol/import-report';
import { clip } from '../source/import-notes.ts';
import { type EdgeDraft, toEdge } from '../source/package-draft.ts';
import { attributesOf } from '../source/read-agent.ts';
import type { Segment } from './split-steps.ts';

export interface SegmentNode {
  readonly id: string;
  readonly segment: Segment;
  readonly file: string;
  /** First line of the segment in the file, from 1. */
  readonly line: number;
}

export interface Match {
  readonly text: string;
  readonly condition: string | undefined;
  readonly evidence: Evidence;
}

export const EXIT_ID = 'end-exit';

export function toSegmentEdges(nodes: readonly SegmentNode[]) {
  // In a text without steps, numbers are those of a list.
  const jumps = nodes.map((node) => (nodes.length > 1 ? findJumps(node) : []));
  const targets = new Set(jumps.flat().map(({ text }) => findNode(text, nodes)?.node.id));
  const edges: EdgeDraft[] = [];
  const dropped: EdgeDraft[] = [];
  let hasExit = false;
  nodes.forEach((node, index) => {
    const before = edges.length;
    const next = nodes[index + 1];
    for (const jump of jumps[index] ?? []) {
      const found = findNode(jump.text, nodes);
      if (!found) {
        const ends = { from: node.id, to: `step ${jump.text}`, label: `goto-${jump.text}` };
        dropped.push(toMatchEdge(ends, jump, { certainty: 'dropped' }));
        continue;
      }
      const ends = { from: node.id, to: found.node.id, label: `goto-${found.node.segment.number}` };
      const isKnown = edges.some(({ from, to }) => from === ends.from && to === ends.to);
      const certainty = found.isExact ? 'exact' : 'inferred';
      if (ends.to !== node.id && !isKnown)
        edges.push(toMatchEdge(ends, jump, { certainty, isDefault: found.node === next }));
    }
    const exits = findExits(node);
    const isFinal =
      exits.some(({ condition }) => condition === undefined) ||
      (jumps[index] ?? []).some(({ condition }) => condition === undefined);
    if (!isFinal && next) edges.push(...toOrder(node, next, nodes[index + 2], edges.slice(before), targets));
    const exit = exits.find(({ condition }) => condition !== undefined);
    if (exit && edges.length > before) {
      hasExit = true;
      edges.push(toMatchEdge({ from: node.id, to: EXIT_ID, label: 'exit' }, exit));
    }
  });
  return { edges, dropped, hasExit };
}

/** The next step by number. An optional step can be skipped; a step after a gap that only a jump reaches does not follow. */
function toOrder(
  { id, segment }: SegmentNode,
  next: SegmentNode,
  after: SegmentNode | undefined,
  jumps: readonly EdgeDraft[],
  targets: ReadonlySet<string | undefined>,
): EdgeDraft[] {
  const gap = Number.parseFloat(next.segment.number) - Number.parseFloat(segment.number);
  if (gap > 1 && targets.has(next.id)) return [];
  const { optional, if: condition } = next.segment.attributes;
  const evidence = { file: next.file, line: next.line, text: clip(next.segment.title, 300) };
  const ends = { from: id, to: next.id, label: 'next' };
  const isReached = jumps.some(({ to }) => to === next.id);
  const order = isReached ? [] : [toEdge(ends, evidence, { isDefault: true, conditionText: condition })];
  if ((optional !== 'true' && condition === undefined) || !after) return order;
  const why = condition === undefined ? `Step ${next.segment.number} is optional.` : `Not: ${condition}`;
  return [...order, toEdge({ from: id, to: after.id, label: 'skip' }, evidence, { conditionText: why })];
}

function toMatchEdge(
  ends: Pick<EdgeDraft, 'from' | 'to' | 'label'>,
  { condition, evidence }: Match,
  rest?: Partial<EdgeDraft>,
): EdgeDraft {
  return toEdge(ends, evidence, { conditionText: condition ?? evidence.text, ...rest });
}

const JUMP =
  /<goto\s[^>]{0,200}step="([\w.]{1,8})"|\b(?:go ?to|jump to|return to|skip to|(?:go )?back to|proceed to|continue (?:to|with|at|from)|move to)\s+(?:the )?step\s+(\d{1,3}(?:\.\d)?[a-z]?)\b/gi;

function findJumps(node: SegmentNode): Match[] {
  return findIn(node, JUMP, (match) => match[1] ?? match[2] ?? '').filter(
    ({ text }) => text !== node.segment.number,
  );
}

function findExits(node: SegmentNode): Match[] {
  return findIn(node, /\b(?:exit|end|quit) (?:the )?workflow\b|\breturn to caller\b/gi, () => 'exit');
}

/** `<invoke-workflow path="…">`, or with the path as its content. */
export function findCalls(node: SegmentNode): Match[] {
  return findIn(node, /<invoke-workflow([^>]{0,1000})>([^<]{0,1000})/g, (match) => {
    const { path, workflow } = attributesOf(match[1] ?? '');
    return (path ?? workflow ?? match[2] ?? '').trim();
  });
}

function findIn(node: SegmentNode, pattern: RegExp, toText: (match: RegExpExecArray) => string): Match[] {
  const { text } = node.segment;
  return [...text.matchAll(pattern)].map((match) => {
    const before = text.slice(0, match.index);
    const start = before.lastIndexOf('\n') + 1;
    const end = text.indexOf('\n', match.index);
    const shown = text
      .slice(start, end === -1 ? undefined : end)
      .replace(/<[^>]{1,500}>/g, ' ')
      .trim();
    const line = node.line + before.split('\n').length - 1;
    return {
      text: toText(match),
      condition:
        conditionAt(before) ?? (/\b(?:if|when|unless|until)\b/i.test(shown) ? clip(shown, 300) : undefined),
      evidence: { file: node.file, line, text: clip(shown || match[0], 300) },
    };
  });
}

/** The condition of the innermost `<check if="…">` or `<action if="…">` that is still open. */
function conditionAt(before: string): string | undefined {
  const open: (string | undefined)[] = [];
  for (const [tag, close, , attributes = ''] of before.matchAll(
    /<(\/?)(check|action|if)\b([^>]{0,1000})>/g,
  )) {
    if (tag.endsWith('/>')) continue;
    if (close === '/') open.pop();
    else open.push(attributesOf(attributes).if ?? (/^<if/.test(tag) ? attributes.trim() : undefined));
  }
  return open.findLast((condition) => condition !== undefined && condition !== '');
}

/** A step `2a` that does not exist means part "a" of step 2. */
function findNode(
  number: string,
  nodes: readonly SegmentNode[],
): { node: SegmentNode; isExact: boolean } | undefined {
  const exact = nodes.find(({ segment }) => segment.number === number);
  if (exact) return { node: exact, isExact: true };
  const whole = nodes.find(({ segment }) => segment.number === number.replace(/[a-z]$/, ''));
  return whole && { node: whole, isExact: false };
}
