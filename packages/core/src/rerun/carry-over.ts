/**
 * Which visits of the run that is made again stand for those of its rerun. A visit is taken over as long as the rerun follows the same
 * path, its step and the variables that it uses are the same, and every file that it read or wrote is as it left it. What a step
 * that runs again writes with the same content makes nothing else run.
 */
import type { RunEvent } from '@crewagent/protocol/events';
import { toEvidence } from '@crewagent/protocol/evidence';
import { createFileUse, type FileVisit, toVisits } from '@crewagent/protocol/file-use';
import type { RunRecord } from '@crewagent/protocol/run';
import { EMPTY_RUN_STATE, foldRunState, type RunState } from '@crewagent/protocol/run-state';
import { toStatus } from '@crewagent/protocol/status';
import type { CarriedVisit, CarryOver, PlannedNode } from '../engine/engine-sources.ts';
import { hashFiles } from '../file-use/hash-files.ts';
import { compareSteps, type StaleDeps } from '../file-use/read-stale.ts';
import { ifReadable, openProject, readFileVisits } from '../file-use/read-visits.ts';
import { loadInstalled, readStep, toPlan } from '../session/load-workflow.ts';
import { findRoot } from '../store/find-works.ts';
import { runBeside, toAddress } from '../store/work-address.ts';
import { readEvents } from '../transfer/pack-works.ts';
import { isSameValue } from '../workflow/same-value.ts';
import type { WorkflowState } from '../workflow/workflow-state.ts';
import { areFilesSame, toCarriedFiles } from './visit-files.ts';

/** Undefined for a run that is no rerun. If the other run is gone, nothing is taken over. */
export function openCarryOver(record: RunRecord, deps: StaleDeps): CarryOver | undefined {
  const { rerunOf, workId } = record;
  if (rerunOf === undefined) return undefined;
  const own = createFileUse(workId);
  let source: Promise<Source | undefined> | undefined;
  const findThen = async (): Promise<{ source: Source; visit: FileVisit; next?: FileVisit } | undefined> => {
    source ??= ifReadable(() => loadSource(record, rerunOf, deps));
    const loaded = await source;
    const now = toVisits(own).filter(({ isRewound }) => !isRewound);
    const then = loaded?.path ?? [];
    const isSamePath = now.every(({ nodes }, index) => then[index]?.nodes.at(-1) === nodes.at(-1));
    const visit = isSamePath ? then[now.length - 1] : undefined;
    return loaded && visit && { source: loaded, visit, next: then[now.length] };
  };
  return {
    observe(event) {
      if (event.runId === workId) own.add(event);
    },
    async find(state) {
      const then = await findThen();
      return then && findCarried(then.source, then.visit, then.next, { state, record, deps });
    },
    async calledThen() {
      const { source: loaded, visit } = (await findThen()) ?? {};
      if (!loaded || !visit) return undefined;
      return withCalled(loaded, visit).find(({ runId }) => runId !== visit.runId)?.runId;
    },
  };
}

interface Source {
  readonly record: RunRecord;
  readonly events: readonly RunEvent[];
  /** Of the whole tree of runs. */
  readonly visits: readonly FileVisit[];
  /** The visits of the run itself that count. */
  readonly path: readonly FileVisit[];
}

async function loadSource(own: RunRecord, rerunOf: string, { store }: StaleDeps): Promise<Source> {
  const address = runBeside(toAddress(own), rerunOf);
  const record = await store.works.read(address);
  const visits = await readFileVisits(await findRoot(store, address), store);
  const path = visits.filter(({ runId, isRewound }) => runId === rerunOf && !isRewound);
  return { record, events: await readEvents(store.works, address), visits, path };
}

/** The visit and those of the runs that were called in it. */
function withCalled({ visits }: Source, visit: FileVisit): FileVisit[] {
  const after = visits.slice(visits.indexOf(visit) + 1);
  const end = after.findIndex(({ nodes }) => nodes.length <= visit.nodes.length);
  return [visit, ...(end < 0 ? after : after.slice(0, end))];
}

interface Now {
  readonly state: WorkflowState;
  readonly record: RunRecord;
  readonly deps: StaleDeps;
}

async function findCarried(
  source: Source,
  visit: FileVisit,
  next: FileVisit | undefined,
  { state, record, deps }: Now,
): Promise<CarriedVisit | undefined> {
  const change = toChange(source, visit, next);
  if (!change) return undefined;
  const nodeId = visit.nodes.at(-1) ?? '';
  const made = withCalled(source, visit);
  if (await isStepChanged(made, record, deps)) return undefined;
  const { store, context } = deps;
  const node = toPlan(await loadInstalled(record.packageHash, store, context), record.workflowRef).nodes.get(
    nodeId,
  );
  if (!node) return undefined;
  const changed = changedVariables(change.before, state);
  const text = changed.length === 0 ? '' : await readStep(store, record.packageHash, node);
  if (usesAny(changed, node, text)) return undefined;
  const paths = new Set(made.flatMap(({ touches }) => touches.map(({ path }) => path)));
  const now = await hashFiles(paths, await openProject(record, store));
  if (!areFilesSame(made, source.visits, now)) return undefined;
  const sheet = toEvidence(source.record.workId, source.events);
  const proof = sheet.visits.find((other) => other.nodeId === nodeId && other.visit === visit.visit);
  if (!proof || proof.outcome === 'open') return undefined;
  const { carriedFrom: from = { runId: visit.runId, visit: visit.visit, outcome: proof.outcome } } = proof;
  const { outcome, ...place } = from;
  return { from: place, outcome, files: toCarriedFiles(made), ...toUpdate(change, state) };
}

interface Change {
  /** When the run arrived at the node, and when it had left it. */
  readonly before: RunState;
  readonly after: RunState;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly to: string | undefined;
  readonly label: string | undefined;
  readonly carry: string | undefined;
}

/** Undefined for a visit that was not left by a move of its own, or in which somebody edited the state. */
function toChange(
  { events, record, visits }: Source,
  visit: FileVisit,
  next: FileVisit | undefined,
): Change | undefined {
  const arrival = visits.find(({ runId, seq }) => runId === visit.runId && seq > visit.seq);
  if (arrival?.seq !== next?.seq || (!next && !toStatus(record).isCompleted)) return undefined;
  const last = next?.seq ?? Number.POSITIVE_INFINITY;
  const own = events.filter(({ seq }) => seq > visit.seq && seq <= last);
  const moves = own.flatMap((event) => (event.type === 'state.changed' ? [event] : []));
  if (moves.some(({ isWhole, isRewind, unset }) => isWhole || isRewind || unset)) return undefined;
  const before = events.filter(({ seq }) => seq <= visit.seq).reduce(foldRunState, EMPTY_RUN_STATE);
  return {
    before,
    after: own.reduce(foldRunState, before),
    variables: Object.assign({}, ...moves.map(({ variables }) => variables)) as Record<string, unknown>,
    to: next?.nodes.at(-1),
    label: moves.at(-1)?.label,
    carry: moves.findLast(({ carry }) => carry !== undefined)?.carry,
  };
}

function toUpdate({ before, after, variables, to, label, carry }: Change, state: WorkflowState) {
  const missing = (items: readonly string[], known: readonly string[]): string[] =>
    items.filter((item) => !known.includes(item));
  return {
    update: {
      stepsCompleted: {
        append: missing(missing(after.stepsCompleted, before.stepsCompleted), state.stepsCompleted),
      },
      variables: { set: { ...variables } },
      decisionLog: { append: after.decisionLog.slice(before.decisionLog.length) },
      artifacts: { append: missing(missing(after.artifacts, before.artifacts), state.artifacts) },
      ...(to === undefined ? {} : { currentNodeId: { set: to } }),
    },
    label,
    carry,
  };
}

async function isStepChanged(
  made: readonly FileVisit[],
  { packageHash: hash, packageVersion: version, projectId }: RunRecord,
  deps: StaleDeps,
): Promise<boolean> {
  for (const { runId, nodes } of made) {
    const then = await deps.store.works.read({ projectId, workId: runId, isRun: true });
    const changed = await compareSteps(then, { hash, version }, deps);
    if (changed?.nodeIds.has(nodes.at(-1) ?? '')) return true;
  }
  return false;
}

function changedVariables({ variables: then }: RunState, { variables: now }: WorkflowState): string[] {
  const names = new Set([...Object.keys(then), ...Object.keys(now)]);
  return [...names].filter((name) => name !== 'workflowStatus' && !isSameValue(then[name], now[name]));
}

/** A step uses a variable that its text or its declaration names; a called workflow may use all that it gets. */
function usesAny(names: readonly string[], node: PlannedNode, text: string): boolean {
  if (names.length === 0) return false;
  if (node.subworkflow !== undefined && node.passContext) return true;
  const words = new Set(`${text} ${JSON.stringify(node)}`.split(/[^\p{L}\p{N}_-]+/u));
  return names.some((name) => words.has(name));
}
