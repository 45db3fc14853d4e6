/**
 * Edges between the steps of one instruction: the order of their numbers, jumps ("GOTO step 3", "back to Phase 1", "skip to
 * load_plan", `<goto step="3">`), exits and calls of other workflows, each with its enclosing `<check if="…">`. Pure.
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
  const jumps = nodes.map((node) => (nodes.length > 1 ? findJumps(node, nodes) : []));
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
    // A step after a jump that nothing else leads to is what the jump skips in some case.
    const isFinal =
      exits.some(({ condition }) => condition === undefined) ||
      (targets.has(next?.id) &&
        (jumps[index] ?? []).some((jump) => jump.condition === undefined && !isLoop(jump, node, nodes)));
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

const VERB =
  '(?:go ?(?:back |directly |straight )?to|(?:jump|skip|loop|circle) (?:back |ahead |directly )?to|return to|back to|proceed (?:directly )?to|advance to|continue (?:on )?(?:to|with|at|from)|move (?:on )?to|resume (?:at|from)|repeat from|restart (?:at|from|with))';

/** The number of a step after a verb, an arrow or in a tag. */
const JUMP = new RegExp(
  `<goto\\s[^>]{0,200}step="([\\w.]{1,8})"|(?:\\b${VERB}|→|->|=>)\\s+(?:the )?\\*{0,2}(step|phase|stage)\\s+(\\d{1,3}(?:\\.\\d)?[a-z]?)\\b`,
  'gi',
);
/** The name of a step after a verb. */
const NAMED_JUMP = new RegExp(`\\b${VERB}\\s+(?:the )?[\`"*]{0,3}([a-z][\\w-]{2,60})`, 'gi');

/** Numbers count in the unit of the steps: in a text of phases, "step 2" is an item of a list. */
function findJumps(node: SegmentNode, nodes: readonly SegmentNode[]): Match[] {
  const { segment } = node;
  const byName = new Map(
    nodes.flatMap((other) => {
      const { name } = other.segment.attributes;
      return name === undefined ? [] : [[name.toLowerCase(), other.segment.number] as const];
    }),
  );
  const numbered = findIn(node, JUMP, (match) => {
    const isOwnUnit = match[2] === undefined || match[2].toLowerCase() === segment.unit;
    return isOwnUnit ? (match[1] ?? match[3] ?? '') : '';
  });
  const named =
    byName.size === 0
      ? []
      : findIn(node, NAMED_JUMP, (match) => byName.get(match[1]?.toLowerCase() ?? '') ?? '');
  return [...numbered, ...named].filter(({ text }) => text !== '' && text !== segment.number);
}

/** Whether a jump under a heading leads back: what follows the step comes after the last repetition. */
function isLoop({ text }: Match, node: SegmentNode, nodes: readonly SegmentNode[]): boolean {
  const isHeading = Object.keys(node.segment.attributes).length === 0;
  const target = findNode(text, nodes)?.node;
  return isHeading && target !== undefined && nodes.indexOf(target) < nodes.indexOf(node);
}

function findExits(node: SegmentNode): Match[] {
  return findIn(
    node,
    /\b(?:exit|end|quit) (?:the )?workflow\b|\breturn to caller\b|(?:→|->|=>)\s+(?:exit|stop|abort)\b(?=\W*$)/gim,
    () => 'exit',
  );
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
  // Matches are in order, so that the fences before each are counted in linear time.
  const fences = [...text.matchAll(/^[ \t]*(?:```|~~~)/gm)].map(({ index }) => index);
  let passed = 0;
  return [...text.matchAll(pattern)].flatMap((match): Match[] => {
    while ((fences[passed] ?? text.length) < match.index) passed++;
    const before = text.slice(0, match.index);
    const start = before.lastIndexOf('\n') + 1;
    // A block of code shows an example.
    if (passed % 2 === 1 || NEGATED.test(before.slice(start))) return [];
    const end = text.indexOf('\n', match.index);
    const shown = text
      .slice(start, end === -1 ? undefined : end)
      .replace(/<[^>]{1,500}>/g, ' ')
      .trim();
    const line = node.line + before.split('\n').length - 1;
    const isConditional = /\b(?:if|when|unless|until)\b|\?\s/i.test(shown);
    const condition = conditionAt(before) ?? (isConditional ? clip(shown, 300) : undefined);
    const evidence = { file: node.file, line, text: clip(shown || match[0], 300) };
    return [{ text: toText(match), condition, evidence }];
  });
}

/** "Do not …" in the same clause. */
const NEGATED = /\b(?:do not|don't|never|cannot|can't|must not|rather than|instead of)\b[^.;:!?—]{0,60}$/i;

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
