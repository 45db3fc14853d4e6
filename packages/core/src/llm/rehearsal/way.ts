/**
 * Chooses the edge to leave a node: by `choose`, by the person's answers, or the default. Loops end: on later visits,
 * edges to unvisited nodes come first, then the edge taken least often. Pure.
 */
import type { NodeFacts, Way } from '../request-facts.ts';

/** Names an edge by its label or target; otherwise the rehearsal chooses. */
export type ChooseWay = (
  nodeId: string,
  options: readonly { readonly to: string; readonly label: string; readonly isDefault: boolean }[],
  visit: number,
) => string | undefined;

export interface WayFacts {
  readonly brief: NodeFacts;
  readonly ways: readonly Way[];
  /** The decision log, as far as it is known. */
  readonly decisions: readonly unknown[];
  /** Answers of the person, any of which may name an edge. */
  readonly answers: readonly unknown[];
  readonly choose: ChooseWay | undefined;
}

export interface Choice {
  readonly way: Way;
  readonly reason: string;
}

/** Undefined if no edge leads on. */
export function pickWay(facts: WayFacts): Choice | undefined {
  const { brief, ways, answers, choose } = facts;
  if (isTerminal(brief)) return undefined;
  const toChoice = (way: Way | undefined, reason: string): Choice | undefined =>
    way && { way, reason: `Rehearsal: ${reason}.` };
  const logged = decisionsHere(facts);
  const requested = choose?.(brief.nodeId, ways.map(toOption), visitNumber(brief, logged));
  const onward = ways.filter(({ to }) => to !== brief.nodeId);
  const open = onward.length > 0 ? onward : ways;
  return (
    toChoice(findNamed(ways, requested), 'this edge was requested') ??
    toChoice(answers.map((answer) => findNamed(ways, answer)).find(Boolean), 'the person chose this edge') ??
    (isRevisit(brief)
      ? toChoice(leastVisitedWay(open, brief, logged), 'the node was visited before')
      : undefined) ??
    toChoice(
      open.find(({ isDefault }) => isDefault),
      'the default edge',
    ) ??
    toChoice(
      open.find(({ isMet }) => isMet),
      'the condition of this edge is true',
    ) ??
    toChoice(open[0], 'the first edge')
  );
}

export function isTerminal({ type, ways }: NodeFacts): boolean {
  return type === 'end' || ways.length === 0;
}

export function isRevisit({ nodeId, stepsCompleted }: NodeFacts): boolean {
  return stepsCompleted.includes(nodeId);
}

function toOption({ to, label, isDefault }: Way) {
  return { to, label, isDefault };
}

function findNamed(ways: readonly Way[], name: unknown): Way | undefined {
  if (typeof name !== 'string') return undefined;
  const wanted = name.trim().toLowerCase();
  return (
    ways.find(({ label }) => label.toLowerCase() === wanted) ??
    ways.find(({ to }) => to.toLowerCase() === wanted)
  );
}

interface LoggedDecision {
  readonly to?: unknown;
  readonly label?: unknown;
}

function decisionsHere({ brief, decisions }: WayFacts): LoggedDecision[] {
  return decisions.filter(
    (entry): entry is LoggedDecision =>
      typeof entry === 'object' && entry !== null && 'from' in entry && entry.from === brief.nodeId,
  );
}

/** The log has an entry for each visit that was left along one of several edges. */
function visitNumber(brief: NodeFacts, logged: readonly LoggedDecision[]): number {
  return isRevisit(brief) ? Math.max(2, logged.length + 1) : 1;
}

function leastVisitedWay(
  ways: readonly Way[],
  brief: NodeFacts,
  logged: readonly LoggedDecision[],
): Way | undefined {
  const unseen = ways.filter(({ to }) => !brief.stepsCompleted.includes(to));
  if (unseen.length > 0) return unseen.find(({ isDefault }) => isDefault) ?? unseen[0];
  const countOf = ({ to, label }: Way): number =>
    logged.filter((entry) => entry.to === to && entry.label === label).length;
  const least = Math.min(...ways.map(countOf));
  const leastUsed = ways.filter((way) => countOf(way) === least);
  return leastUsed.find(({ isDefault }) => isDefault) ?? leastUsed[0];
}
