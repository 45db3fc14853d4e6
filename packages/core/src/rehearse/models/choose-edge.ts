/**
 * Chooses the edge to leave a node: by `choose`, by the person's answers, by a condition that is true, or the default. Loops end: on later visits,
 * edges to unvisited nodes come first, then the edge taken least often; a true condition holds there as long as `mayRepeat` says so. Pure.
 */
import type { NodeFacts, OutgoingEdge } from '../../llm/request-facts.ts';
import { type Words, wordsIn } from './words.ts';

/** Names an edge by its label or target; otherwise the rehearsal chooses. */
export type ChooseEdge = (
  nodeId: string,
  options: readonly { readonly to: string; readonly label: string; readonly isDefault: boolean }[],
  visit: number,
) => string | undefined;

/** The node that an edge leaves. */
export type LeftNode = Pick<NodeFacts, 'nodeId' | 'type' | 'stepsCompleted' | 'outgoing'>;

export interface EdgeSources {
  readonly brief: LeftNode;
  readonly outgoing: readonly OutgoingEdge[];
  /** The decision log, as far as it is known. */
  readonly decisions?: readonly unknown[];
  /** Answers of the person, any of which may name an edge. */
  readonly answers: readonly unknown[];
  readonly choose?: ChooseEdge | undefined;
  /** Whether an edge whose condition is true may be taken in a later visit, too. Default: not. */
  readonly mayRepeat?: MayRepeat | undefined;
  /** What the reason says; default: in English. */
  readonly because?: Words['because'];
}

export type MayRepeat = (from: string, edge: Pick<OutgoingEdge, 'to' | 'label'>) => boolean;

export interface Choice {
  readonly edge: OutgoingEdge;
  readonly reason: string;
}

/** Undefined if no edge leads on. */
export function chooseEdge(facts: EdgeSources): Choice | undefined {
  const { brief, outgoing, answers, choose, because = wordsIn().because } = facts;
  if (isTerminal(brief)) return undefined;
  const toChoice = (edge: OutgoingEdge | undefined, reason: string): Choice | undefined =>
    edge && { edge, reason };
  const logged = decisionsHere(facts);
  const requested = choose?.(brief.nodeId, outgoing.map(toOption), visitNumber(brief, logged));
  const onward = outgoing.filter(({ to }) => to !== brief.nodeId);
  const open = onward.length > 0 ? onward : outgoing;
  const isAgain = isRevisit(brief);
  const met = open.find((edge) => edge.isMet && (!isAgain || facts.mayRepeat?.(brief.nodeId, edge)));
  return (
    toChoice(findNamed(outgoing, requested), because.requested) ??
    toChoice(answers.map((answer) => findNamed(outgoing, answer)).find(Boolean), because.chosen) ??
    toChoice(met, because.isMet) ??
    (isAgain ? toChoice(leastVisitedEdge(open, brief, logged), because.visited) : undefined) ??
    toChoice(
      open.find(({ isDefault }) => isDefault),
      because.isDefault,
    ) ??
    toChoice(open[0], because.isFirst)
  );
}

export function isTerminal({ type, outgoing }: LeftNode): boolean {
  return type === 'end' || outgoing.length === 0;
}

export function isRevisit({ nodeId, stepsCompleted }: LeftNode): boolean {
  return stepsCompleted.includes(nodeId);
}

function toOption({ to, label, isDefault }: OutgoingEdge) {
  return { to, label, isDefault };
}

function findNamed(outgoing: readonly OutgoingEdge[], name: unknown): OutgoingEdge | undefined {
  if (typeof name !== 'string') return undefined;
  const wanted = name.trim().toLowerCase();
  return (
    outgoing.find(({ label }) => label.toLowerCase() === wanted) ??
    outgoing.find(({ to }) => to.toLowerCase() === wanted)
  );
}

interface LoggedDecision {
  readonly to?: unknown;
  readonly label?: unknown;
}

function decisionsHere({ brief, decisions = [] }: EdgeSources): LoggedDecision[] {
  return decisions.filter(
    (entry): entry is LoggedDecision =>
      typeof entry === 'object' && entry !== null && 'from' in entry && entry.from === brief.nodeId,
  );
}

/** The log has an entry for each visit that was left along one of several edges. */
function visitNumber(brief: LeftNode, logged: readonly LoggedDecision[]): number {
  return isRevisit(brief) ? Math.max(2, logged.length + 1) : 1;
}

function leastVisitedEdge(
  outgoing: readonly OutgoingEdge[],
  brief: LeftNode,
  logged: readonly LoggedDecision[],
): OutgoingEdge | undefined {
  const unseen = outgoing.filter(({ to }) => !brief.stepsCompleted.includes(to));
  if (unseen.length > 0) return unseen.find(({ isDefault }) => isDefault) ?? unseen[0];
  const countOf = ({ to, label }: OutgoingEdge): number =>
    logged.filter((entry) => entry.to === to && entry.label === label).length;
  const least = Math.min(...outgoing.map(countOf));
  const leastUsed = outgoing.filter((edge) => countOf(edge) === least);
  return leastUsed.find(({ isDefault }) => isDefault) ?? leastUsed[0];
}
