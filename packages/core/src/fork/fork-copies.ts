/** What is stored of a fork: a copy of each run of the tree up to the point, with ids of its own. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import type { RunRecord } from '@crewagent/protocol/run';
import { EMPTY_RUN_STATE, foldRunState } from '@crewagent/protocol/run-state';
import { CrewError } from '../base/crew-error.ts';
import { listTree } from '../base/list-tree.ts';
import { sha256Of } from '../base/sha256.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import { loadInstalled, toPlan } from '../session/load-workflow.ts';
import {
  chooseModel,
  type Environment,
  isModelNamed,
  type ModelChoice,
} from '../session/models/choose-model.ts';
import { findUnusedNames, type UnusedNames } from '../session/unused-names.ts';
import type { Store } from '../store/store.ts';
import type { WorkCopy } from '../store/work-store.ts';
import { imagesOf } from '../transfer/pack-works.ts';
import { editState } from '../workflow/update-state.ts';
import { type IdMap, toForkedEvents, toForkProof } from './fork-log.ts';
import { mountProject } from './lay-out-files.ts';
import { toPastJournal } from './past-files.ts';
import { editVariables, toPastState } from './past-state.ts';
import { type PastTree, phaseOf, type TreeRun, toPastWork } from './past-tree.ts';
import type { RecordedChanges } from './same-folder.ts';

export interface ForkDeps {
  readonly store: Store;
  readonly context: ValidationContext;
  readonly env: Environment;
  readonly now: () => Date;
}

/** What a person decides about a fork. */
export interface ForkChoices {
  readonly model?: ModelChoice | undefined;
  /** Texts; JSON for a variable whose value is not a text. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Called with names of variables that neither the run has nor its package uses. */
  readonly onUnusedNames?: ((unused: UnusedNames) => void) | undefined;
}

/** What of the fork can be rejected: it is made before anything is written. */
export interface Draft {
  readonly model: RunRecord['model'] | undefined;
  readonly pinned: Pick<RunRecord, 'packageHash' | 'packageName' | 'packageVersion'>;
  /** Of each run on the path to the point, by its original id. */
  readonly runs: ReadonlyMap<string, RunDraft>;
  readonly stop: { readonly phase: 'WaitingUser'; readonly reason: NonNullable<RunRecord['reason']> };
}

interface RunDraft {
  /** Text of the document. */
  readonly state: string;
  /** What happens after the events of the original. */
  readonly facts: readonly RunFact[];
}

interface DraftParts {
  readonly tree: PastTree;
  readonly ids: IdMap;
  readonly project: string;
  readonly request: ForkChoices;
}

export async function toDraft(
  { tree, ids, project, request }: DraftParts,
  { store, context, env, now }: ForkDeps,
): Promise<Draft> {
  const { model: choice = {}, variables = {} } = request;
  const model = isModelNamed(choice) ? chooseModel(choice, await store.settings.load(), env) : undefined;
  const pinned = toPinned(tree);
  const loaded = await loadInstalled(pinned.packageHash, store, context);
  const plans = tree.path.map(({ record }) => toPlan(loaded, record.workflowRef));
  const callStack = tree.path.slice(1).map(({ record }, index) => {
    const nodeId = record.call?.nodeId ?? '';
    const workflow = plans[index]?.nodes.get(nodeId)?.subworkflow ?? record.workflowRef;
    return { workflow, nodeId, childId: ids.get(record.workId) ?? '' };
  });
  const runs = new Map<string, RunDraft>();
  for (const [index, run] of tree.path.entries()) {
    const { workId } = run.record;
    const events = run.events.slice(0, tree.cuts.get(workId));
    const past = await toPastState((await store.works.openState(run.address).read()).text, {
      runId: ids.get(workId) ?? '',
      events,
      callStack: index === 0 ? callStack : [],
      now,
    });
    const workflow = toPlan(loaded, run.record.workflowRef);
    const { graph } = workflow;
    const given = run === tree.path.at(-1) ? variables : {};
    const names = Object.keys(given);
    const had = names.length > 0 ? events.reduce(foldRunState, EMPTY_RUN_STATE).variables : {};
    const unknown = names.filter((name) => !Object.hasOwn(had, name));
    const unused = await findUnusedNames(unknown, { workflow, loaded, store, ...pinned });
    if (unused) request.onUnusedNames?.(unused);
    const { text, facts } = await editVariables(past, given, { graph, files: mountProject(project), now });
    runs.set(workId, { state: text, facts });
  }
  return { model, pinned, runs, stop: toStop(tree) };
}

/** The package that the run had then. */
function toPinned({ path: [root], cuts }: PastTree): Draft['pinned'] {
  const events = root?.events.slice(0, cuts.get(root.record.workId)) ?? [];
  const had = events.findLast((event) => event.type === 'run.upgraded' || event.type === 'run.created');
  if (had?.type !== 'run.upgraded' && had?.type !== 'run.created')
    throw new CrewError('STORE_DAMAGED', 'The log of the run does not say which package it has.');
  const { name, version, hash } = had.package;
  return { packageHash: hash, packageName: name, packageVersion: version };
}

const MAX_PROMPT = 200;

function toStop({ point, path, cuts }: PastTree): Draft['stop'] {
  const seq = cuts.get(path.at(-1)?.record.workId ?? '');
  const asked = point.questions.find((question) => question.seq === seq);
  const prompt = asked?.questions[0]?.prompt.slice(0, MAX_PROMPT);
  const message = `The run was forked at "${point.nodeId}"; resume it to continue from there.`;
  return {
    phase: 'WaitingUser',
    reason: asked
      ? { code: 'question', message: 'The model asked you something.', details: { prompt } }
      : { code: 'rewound', message, details: { nodeId: point.nodeId } },
  };
}

export interface CopyParts {
  readonly tree: PastTree;
  readonly ids: IdMap;
  readonly draft: Draft;
  readonly projectId: string;
  /** What the fork itself changed in the project. */
  readonly changes: RecordedChanges;
  readonly lost: readonly string[];
  readonly isRerun?: boolean | undefined;
}

export interface RunCopy extends WorkCopy {
  readonly record: RunRecord;
}

/** The root first. */
export async function toCopies(parts: CopyParts, deps: Pick<ForkDeps, 'store' | 'now'>): Promise<RunCopy[]> {
  const { runs, path } = parts.tree;
  const forked = runs.filter(({ record }) => parts.ids.has(record.workId));
  return Promise.all(forked.map((run) => toCopy(run, { ...parts, isRoot: run === path[0] }, deps)));
}

async function toCopy(
  run: TreeRun,
  { isRoot, ...parts }: CopyParts & { readonly isRoot: boolean },
  { store, now }: Pick<ForkDeps, 'store' | 'now'>,
): Promise<RunCopy> {
  const { tree, ids, draft, changes } = parts;
  const { record, journal, address } = run;
  const workId = ids.get(record.workId) ?? '';
  const own = draft.runs.get(record.workId);
  const at = now().toISOString();
  const state = await readFiles(await store.works.stateFolder(address));
  const document = own?.state ?? (await withOwnId(state.get(DOCUMENT), workId));
  if (document !== undefined) state.set(DOCUMENT, Buffer.from(document));
  const inherited = toPastJournal(toPastWork(run, tree));
  const records = [...inherited, ...(isRoot ? changes.after(inherited) : [])];
  const contents = new Map([...state.values()].map((content) => [sha256Of(content), content]));
  const read = async (sha256: string): Promise<Buffer | undefined> =>
    contents.get(sha256) ?? changes.contents.get(sha256) ?? journal.read(sha256);
  const images: string[] = [];
  for (const sha256 of imagesOf(records)) if (await read(sha256)) images.push(sha256);
  return {
    record: toRecord(run, { ...parts, isRoot }, at),
    events: toEvents(run, { ...parts, isRoot }, at),
    state: new Map([...state].map(([path, content]) => [path, sha256Of(content)])),
    journal: records,
    images,
    read: async (sha256) => (await read(sha256)) ?? Buffer.alloc(0),
  };
}

const DOCUMENT = 'workflow.md';

async function readFiles(folder: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const { path, entry } of listTree(folder))
    if (entry.isFile() && !entry.name.startsWith('.')) files.set(path, await readFile(join(folder, path)));
  return files;
}

/** Of a called run that is copied whole. */
async function withOwnId(document: Buffer | undefined, runId: string): Promise<string | undefined> {
  if (!document) return undefined;
  const edited = await editState(document.toString(), (fields) => ({ ...fields, runId }));
  return edited.ok ? edited.text : undefined;
}

type OwnParts = CopyParts & { readonly isRoot: boolean };

function toEvents(
  { record: { workId: from }, events }: TreeRun,
  { tree: { cuts, point }, ids, draft, lost, isRoot }: OwnParts,
  ts: string,
): RunEvent[] {
  const seq = cuts.get(from) ?? 0;
  const runId = ids.get(from) ?? '';
  const own = draft.runs.get(from);
  const facts: RunFact[] = [
    {
      type: 'work.forked',
      from,
      ...toForkProof(events, seq, ids),
      ...(own ? { nodeId: point.nodeId, visit: point.visit } : {}),
      ...(isRoot && lost.length > 0 ? { lost: [...lost] } : {}),
    },
    ...(own ? [...own.facts, { type: 'phase.changed', ...draft.stop } as const] : []),
  ];
  const added = facts.map((fact, index) => ({ v: 1, seq: seq + 1 + index, ts, runId, ...fact }) as RunEvent);
  return [...toForkedEvents(events, seq, ids), ...added];
}

function toRecord(
  { record: { upgrade: _, phase: __, reason: ___, rerunOf: ____, ...record }, events }: TreeRun,
  { tree: { point, path, cuts }, ids, draft, projectId, isRoot, isRerun }: OwnParts,
  at: string,
): RunRecord {
  const ownId = (id: string): string => ids.get(id) ?? id;
  const { parentId, call, ...rest } = record;
  const target = path.at(-1)?.record.workId ?? '';
  const origin = { workId: target, seq: cuts.get(target) ?? 0, nodeId: point.nodeId, visit: point.visit };
  return {
    ...rest,
    ...draft.pinned,
    ...(draft.runs.has(record.workId) ? draft.stop : phaseOf(events)),
    ...(draft.model ? { model: draft.model } : {}),
    // A fork belongs to no conversation.
    ...(call && parentId !== undefined
      ? { parentId: ownId(parentId), call: { ...call, rootId: ownId(call.rootId) } }
      : {}),
    ...(isRoot ? { forkedFrom: origin } : {}),
    ...(isRoot && isRerun ? { rerunOf: record.workId } : {}),
    workId: ownId(record.workId),
    projectId,
    createdAt: at,
    updatedAt: at,
  };
}
