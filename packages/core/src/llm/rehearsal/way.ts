/**
 * Which way a rehearsal takes from a node: the chosen one, the person's, the default. It never walks in circles for ever:
 * on a later visit it goes where it has not been, then along the edge it took least often. Pure.
 */
import type { NodeFacts, Way } from '../request-facts.ts';

/** Names an edge by its label or by where it leads; anything else leaves the choice to the rehearsal. */
export type ChooseWay = (
  nodeId: string,
  options: readonly { readonly to: string; readonly label: string; readonly isDefault: boolean }[],
  visit: number,
) => string | undefined;

export interface WayFacts {
  readonly brief: NodeFacts;
  readonly ways: readonly Way[];
  /** The decision log as far as it is known. */
  readonly decisions: readonly unknown[];
  /** What the person answered, any of which may name a way. */
  readonly answers: readonly unknown[];
  readonly choose: ChooseWay | undefined;
}

export interface Choice {
  readonly way: Way;
  readonly reason: string;
}

/** Undefined where nothing leads on. */
export function pickWay(facts: WayFacts): Choice | undefined {
  const { brief, ways, answers, choose } = facts;
  if (isTerminal(brief)) return undefined;
  const because = (way: Way | undefined, reason: string): Choice | undefined =>
    way && { way, reason: `Rehearsal: ${reason}.` };
  const taken = decisionsHere(facts);
  const wish = choose?.(brief.nodeId, ways.map(toOption), visitNumber(brief, taken));
  const onward = ways.filter(({ to }) => to !== brief.nodeId);
  const open = onward.length > 0 ? onward : ways;
  return (
    because(named(ways, wish), 'this way was chosen for it') ??
    because(answers.map((answer) => named(ways, answer)).find(Boolean), 'the person named this way') ??
    (isRevisit(brief) ? because(freshWay(open, brief, taken), 'the node was visited before') : undefined) ??
    because(
      open.find(({ isDefault }) => isDefault),
      'the default way',
    ) ??
    because(
      open.find(({ isMet }) => isMet),
      'the condition of this way holds',
    ) ??
    because(open[0], 'the first way')
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

function named(ways: readonly Way[], name: unknown): Way | undefined {
  if (typeof name !== 'string') return undefined;
  const wanted = name.trim().toLowerCase();
  return (
    ways.find(({ label }) => label.toLowerCase() === wanted) ??
    ways.find(({ to }) => to.toLowerCase() === wanted)
  );
}

interface Taken {
  readonly to?: unknown;
  readonly label?: unknown;
}

function decisionsHere({ brief, decisions }: WayFacts): Taken[] {
  return decisions.filter(
    (entry): entry is Taken =>
      typeof entry === 'object' && entry !== null && 'from' in entry && entry.from === brief.nodeId,
  );
}

/** Every visit that was left along one of several ways is in the log. */
function visitNumber(brief: NodeFacts, taken: readonly Taken[]): number {
  return isRevisit(brief) ? Math.max(2, taken.length + 1) : 1;
}

function freshWay(ways: readonly Way[], brief: NodeFacts, taken: readonly Taken[]): Way | undefined {
  const unseen = ways.filter(({ to }) => !brief.stepsCompleted.includes(to));
  if (unseen.length > 0) return unseen.find(({ isDefault }) => isDefault) ?? unseen[0];
  const times = ({ to, label }: Way): number =>
    taken.filter((entry) => entry.to === to && entry.label === label).length;
  const least = Math.min(...ways.map(times));
  const rare = ways.filter((way) => times(way) === least);
  return rare.find(({ isDefault }) => isDefault) ?? rare[0];
}
