/**
 * Summary of the nodes a run has left: one line each, with the user's messages, the chosen edge and its reason.
 * Bounded, however often a loop runs.
 */

import type { Said } from './answer-text.ts';
import { oneLine } from './quote-blocks.ts';

export interface Visit {
  readonly nodeId: string;
  /** Messages of the user at this node. */
  readonly inputs: Said[];
  readonly artifacts: Set<string>;
  readonly variables: Set<string>;
  /** The model's last reply to the user. */
  lastReply?: string | undefined;
  /** The model's note for later nodes. */
  carry?: string | undefined;
  exit?: Exit | undefined;
  /** Outcome of the workflow that the node called, on one line. */
  outcome?: string | undefined;
}

interface Exit {
  readonly to: string;
  readonly label?: string | undefined;
  readonly reason?: string | undefined;
  /** A person rewound the run; no edge was taken. */
  readonly isRewind?: true;
}

export function createVisit(nodeId: string): Visit {
  return { nodeId, inputs: [], artifacts: new Set(), variables: new Set() };
}

const MAX_VISITS = 40;
const MAX_INPUT_CHARS = 1_000;
const MAX_LAST_WORDS = 400;
/** Of nodes before the last two. */
const MAX_OLD_WORDS = 120;
const RECENT = 2;
const MAX_NAMES = 12;
const MAX_CHARS = 6_000;

/** Adds a finished visit. Of very old visits only the user's messages are kept. */
export function addVisit(visits: Visit[], visit: Visit): void {
  visits.push(visit);
  if (visits.length <= MAX_VISITS) return;
  const [oldest, next] = visits.splice(0, 2);
  if (!oldest || !next) return;
  visits.unshift({ ...next, inputs: [...oldest.inputs, ...next.inputs].slice(-MAX_VISITS) });
}

/** Undefined before the first node was left. The oldest visits are dropped first. */
export function toEarlierNodes(visits: readonly Visit[]): string | undefined {
  if (visits.length === 0) return undefined;
  const summary: string[] = [];
  let chars = 0;
  const isRecent = (index: number): boolean => index >= visits.length - RECENT;
  const all = visits.map((visit, index) => toLines(visit, isRecent(index) ? MAX_LAST_WORDS : MAX_OLD_WORDS));
  for (const lines of all.reverse()) {
    chars += lines.join('\n').length;
    if (chars > MAX_CHARS && summary.length > 0) {
      summary.unshift('- (earlier nodes omitted; see @state/workflow.md)');
      break;
    }
    summary.unshift(...lines);
  }
  return ['EARLIER_NODES', ...summary].join('\n');
}

function toLines(visit: Visit, maxLength: number): string[] {
  const { nodeId, inputs, artifacts, variables, carry, exit, outcome } = visit;
  const lastReply = withoutMenu(visit.lastReply);
  const facts = [
    ...(outcome === undefined ? [] : [shorten(oneLine(outcome))]),
    ...(artifacts.size > 0 ? [`wrote ${toNames(artifacts)}`] : []),
    ...(variables.size > 0 ? [`set ${toNames(variables)}`] : []),
    ...(exit ? [describeExit(exit)] : []),
  ];
  // The edge that was taken says which option was chosen.
  const said = inputs
    .filter(({ code, text }) => (code || text.trim()).toLowerCase() !== exit?.label?.toLowerCase())
    .slice(-MAX_NAMES);
  return [
    `- ${nodeId}: ${facts.join('; ') || 'no outcome'}${exit?.reason ? `; reason: ${shorten(oneLine(exit.reason))}` : ''}`,
    ...said.map(({ text }) => `  - the user said: ${JSON.stringify(shorten(text))}`),
    ...(lastReply === undefined
      ? []
      : [`  - you said last: ${JSON.stringify(keepEnd(lastReply, maxLength))}`]),
    ...(carry === undefined ? [] : [`  - you noted: ${JSON.stringify(shorten(carry))}`]),
  ];
}

/** The options ended with their node; the chosen one is known from the edge or from the user's message. */
function withoutMenu(reply: string | undefined): string | undefined {
  if (reply === undefined) return undefined;
  const lines = reply.split('\n').filter((line) => !isOptionLine(line));
  const text = oneLine(lines.join('\n'));
  return text === '' ? undefined : text;
}

/** `[C] Continue`, alone or with others on its line, such as `Choose: [A] Ask [C] Continue`. */
function isOptionLine(line: string): boolean {
  const [first, second] = line.matchAll(/\[[\p{Lu}\p{N}]{1,2}\]/gu);
  return first !== undefined && (second !== undefined || /^[\s>*•-]*$/.test(line.slice(0, first.index)));
}

function describeExit({ to, label, isRewind }: Exit): string {
  if (isRewind) return `the user rewound the run to ${to}`;
  return `went to ${to}${label ? ` (${oneLine(label)})` : ''}`;
}

/** Names come from models and packages, so their number and length are bounded. */
function toNames(names: ReadonlySet<string>): string {
  const shown = [...names].slice(-MAX_NAMES).map((name) => shorten(oneLine(name)));
  return shown.length < names.size
    ? `${shown.join(', ')} and ${names.size - shown.length} more`
    : shown.join(', ');
}

function shorten(text: string, length = MAX_INPUT_CHARS): string {
  return text.length > length ? `${text.slice(0, length)}… (shortened)` : text;
}

/** A reply ends with what it asks or concludes. */
function keepEnd(text: string, length: number): string {
  return text.length > length ? `(shortened) …${text.slice(-length)}` : text;
}
