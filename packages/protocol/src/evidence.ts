/**
 * The evidence sheet of a run: what happened in each visit of each node and how far it is proved. A pure fold of the log, so that a
 * copied log gives the same sheet.
 */
import type { EventOf, RunEvent } from './events.ts';
import type { EvidenceSheet, EvidenceVisit } from './evidence-schema.ts';
import { addUsage, NO_USAGE } from './model.ts';
import { deciderOf, isUnmet, WAIT_CHECK } from './proof.ts';
import { addToNodeVisits, durationOf, type NodeVisit } from './story/node-visits.ts';
import { addToVisit, createVisitFacts, type VisitFacts } from './visit-facts.ts';

export type { EvidenceSheet, EvidenceVisit };

export interface EvidenceFold {
  add(event: RunEvent): void;
  sheet(): EvidenceSheet;
}

/** Of one run; events of the runs that it called are ignored. */
export function createEvidence(runId: string): EvidenceFold {
  const facts = createVisitFacts();
  const titles = new Map<string, string>();
  const visits: EvidenceVisit[] = [];
  /** The same visits as the story has them, with the times that are shown everywhere; a visit without a turn has none there. */
  const timed: NodeVisit[] = [];
  const timesOf = new Map<EvidenceVisit, number[]>();
  let isComplete = false;
  const addTime = (event: RunEvent, draft: EvidenceVisit | undefined): void => {
    const before = timed.length;
    addToNodeVisits(timed, event);
    if (draft && timed.length > before) timesOf.set(draft, [...(timesOf.get(draft) ?? []), before]);
  };
  const durationMsOf = (draft: EvidenceVisit): number =>
    (timesOf.get(draft) ?? []).reduce((sum, at) => sum + (timed[at] ? durationOf(timed[at]) : 0), 0);
  const current = (): EvidenceVisit | undefined => visits.at(-1);
  const begin = ({ ts }: RunEvent): void => {
    visits.push(createVisit(facts, titles.get(facts.nodeId) ?? facts.nodeId, ts));
  };
  const addToCurrent = (draft: EvidenceVisit, event: RunEvent): void => {
    draft.endedAt = event.ts;
    switch (event.type) {
      case 'turn.started':
        if (draft.turns++ > 0) return;
        draft.firstTurn = event.turn;
        if (event.requestSha256 !== undefined) draft.requestSha256 = event.requestSha256;
        return;
      case 'usage.updated':
        draft.usage = addUsage(draft.usage, event.usage);
        return;
      case 'transition.refused': {
        const code = event.code ?? 'E_INVALID_TRANSITION';
        draft.refusals = { ...draft.refusals, [code]: (draft.refusals[code] ?? 0) + 1 };
        // What is missing, until the node is left.
        if (event.checks) draft.checks = event.checks;
        return;
      }
      case 'checks.judged':
        draft.checks = event.checks;
        draft.files = event.files.map((file) => toFile(file, facts));
        return;
      case 'call.started':
        draft.calledRunId = event.childId;
        return;
      case 'visit.carried': {
        const { from, outcome, files } = event;
        draft.carriedFrom = { ...from, outcome };
        draft.carriedFiles = files;
        return;
      }
      default:
    }
  };
  return {
    add(event) {
      if (event.runId !== runId) return;
      const draft = current();
      addTime(event, draft);
      const isOver = event.type === 'phase.changed' && event.phase === 'Completed';
      if (draft) addToCurrent(draft, event);
      if (draft && (event.type === 'state.changed' || isOver)) close(draft, facts, event);
      if (event.type === 'phase.changed') isComplete = isOver;
      if (event.type === 'run.created' || event.type === 'run.upgraded')
        for (const { id, title } of event.nodes) titles.set(id, title);
      if (event.type === 'run.upgraded') markStale(visits, event);
      const [nodeId, visit] = [facts.nodeId, facts.visit];
      addToVisit(facts, event);
      if (draft) [draft.spoken, draft.waivers] = toPeople(draft, facts, { nodeId, visit });
      if (facts.nodeId !== nodeId || facts.visit !== visit) begin(event);
    },
    sheet: () =>
      toSheet(
        runId,
        visits.map((visit) => ({ ...visit, durationMs: durationMsOf(visit) })),
        isComplete,
      ),
  };
}

/** Steps that the new version changed or does not have: what they did was proved against another text. */
function markStale(visits: readonly EvidenceVisit[], { changes }: EventOf<'run.upgraded'>): void {
  const stale = new Set([...changes.changed, ...changes.removed]);
  for (const visit of visits) if (stale.has(visit.nodeId)) visit.isStale = true;
}

export function toEvidence(runId: string, events: Iterable<RunEvent>): EvidenceSheet {
  const fold = createEvidence(runId);
  for (const event of events) fold.add(event);
  return fold.sheet();
}

/** "proved: 14 of 16 steps; 1 waived; 1 has nothing to prove" */
export function describeTotals({ totals }: Pick<EvidenceSheet, 'totals'>): string {
  const { nodes, proved, claimed, waived, missing, nothing, open, carried = 0 } = totals;
  return [
    `proved: ${proved} of ${nodes} ${nodes === 1 ? 'step' : 'steps'}`,
    ...(carried > 0 ? [`${carried} carried over`] : []),
    ...(claimed > 0 ? [`${claimed} claimed`] : []),
    ...(waived > 0 ? [`${waived} waived`] : []),
    ...(missing > 0 ? [`${missing} incomplete`] : []),
    ...(nothing > 0 ? [`${nothing} ${nothing === 1 ? 'has' : 'have'} nothing to prove`] : []),
    ...(open > 0 ? [`${open} not left yet`] : []),
  ].join('; ');
}

function createVisit({ nodeId, visit }: VisitFacts, title: string, ts: string): EvidenceVisit {
  return {
    nodeId,
    title,
    visit,
    outcome: 'open',
    turns: 0,
    usage: NO_USAGE,
    startedAt: ts,
    endedAt: ts,
    durationMs: 0,
    spoken: [],
    files: [],
    checks: [],
    waivers: [],
    refusals: {},
    outputsMissing: [],
  };
}

/** While the visit lasts. */
function toPeople(
  draft: EvidenceVisit,
  facts: VisitFacts,
  before: Pick<VisitFacts, 'nodeId' | 'visit'>,
): [EvidenceVisit['spoken'], EvidenceVisit['waivers']] {
  const isSame = facts.nodeId === before.nodeId && facts.visit === before.visit;
  return isSame ? [facts.spoken, facts.waivers] : [draft.spoken, draft.waivers];
}

function close(draft: EvidenceVisit, facts: VisitFacts, event: RunEvent): void {
  if (event.type !== 'state.changed') {
    if (draft.outcome === 'open') draft.outcome = toOutcome(draft);
    return;
  }
  if (event.outputsMissing) draft.outputsMissing = event.outputsMissing;
  if (event.from === event.to || event.isRewind) return;
  const { reason } = event.decisionsAdded.find(({ from }) => from === facts.nodeId) ?? {};
  // A move that was found in the document after a crash does not say it.
  const by = event.decidedBy ?? deciderOf(draft.checks, draft.spoken);
  draft.decision = { to: event.to, label: event.label, reason, by };
  // The document was changed by another program, past the gate: what the node was to change is not proved.
  if (event.isWhole && draft.checks.length === 0)
    draft.outputsMissing = [...(facts.baseline?.patterns ?? [])];
  draft.outcome = toOutcome(draft);
}

function toOutcome(draft: EvidenceVisit): EvidenceVisit['outcome'] {
  const { checks, waivers, outputsMissing, carriedFrom } = draft;
  if (carriedFrom) return 'carried';
  if (outputsMissing.length > 0 || checks.some(isUnmet)) return 'missing';
  if (waivers.length > 0) return 'waived';
  if (checks.length === 0) return 'nothing';
  return isClaimed(draft) ? 'claimed' : 'proved';
}

/** The person was to be heard, and nobody but another agent says so. */
function isClaimed({ checks, spoken }: EvidenceVisit): boolean {
  return checks.some(({ id }) => id === WAIT_CHECK) && spoken.every(({ by }) => by === 'claimed');
}

function toFile(
  { path, sha256, bytes, isOwn }: EventOf<'checks.judged'>['files'][number],
  { baseline, writes }: VisitFacts,
): EvidenceVisit['files'][number] {
  const before = baseline?.files.get(path);
  const isOutsideEdit = baseline !== undefined && before !== sha256 && !isOwn && !writes.has(path);
  return { path, before, after: sha256, bytes, ...(isOutsideEdit ? { isOutsideEdit } : {}) };
}

function toSheet(runId: string, visits: readonly EvidenceVisit[], isComplete: boolean): EvidenceSheet {
  const last = new Map(visits.map((visit) => [visit.nodeId, visit]));
  const totals: EvidenceSheet['totals'] = {
    proved: 0,
    claimed: 0,
    waived: 0,
    missing: 0,
    nothing: 0,
    open: 0,
    nodes: last.size,
  };
  for (const { outcome } of last.values())
    if (outcome === 'carried') totals.carried = (totals.carried ?? 0) + 1;
    else totals[outcome]++;
  const waivers = visits.flatMap(({ nodeId, waivers: own }) => own.map((waiver) => ({ ...waiver, nodeId })));
  const missing = [...last.values()].flatMap(({ outputsMissing, checks }) => [
    ...outputsMissing,
    ...checks.filter(isUnmet).map(({ message }) => message),
  ]);
  const isProved =
    isComplete && waivers.length + missing.length + totals.claimed + (totals.carried ?? 0) === 0;
  return { runId, visits: [...visits], totals, isProved, waivers, missing };
}
