/**
 * The requests of a run or a thread to its model, read without a key and without a lock.
 */
import type { ShownContext } from '@crewagent/protocol/api/shown-context';
import type { TargetSurface } from '@crewagent/protocol/commands';
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import {
  type ConversationState,
  EMPTY_CONVERSATION_STATE,
  foldConversationState,
} from '@crewagent/protocol/conversation-state';
import type { RunModel } from '@crewagent/protocol/model';
import type { Project } from '@crewagent/protocol/project';
import type { RunRecord } from '@crewagent/protocol/run';
import type { WorkRecord } from '@crewagent/protocol/work';
import { toMenuEntries } from '../agents/menu.ts';
import { CrewError } from '../base/crew-error.ts';
import {
  type LookSources,
  proveRequests,
  type RequestProofs,
  rebuildRequest,
  showContext,
} from '../engine/context/shown-context.ts';
import { createMountedFs } from '../mounts/mounted-fs.ts';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import { toAddress, type WorkAddress } from '../store/work-address.ts';
import type { WorkStore } from '../store/work-store.ts';
import type { ToolSource } from '../tools/tool-source.ts';
import { loadAgentBinding, type ThreadOptions, toThreadRecord } from './conversation/open-thread.ts';
import { loadInstalled, resolveWorkflow, toPlan } from './load-workflow.ts';
import { createAdapter } from './models/model-adapter.ts';
import { loadBackground, readWorkflowFile } from './prompt-facts.ts';

export interface LookOptions extends Pick<ThreadOptions, 'store' | 'context' | 'now'> {
  /** Surface of the agent's menu; `web` by default. */
  readonly surface?: TargetSurface;
  /** If missing, requests are shown without tools of MCP servers. */
  readonly peekTools?: PeekTools;
}

/** The tools of MCP servers that run for a project; undefined if none does. */
export type PeekTools = (
  project: Project,
) => Promise<{ readonly servers: readonly string[]; readonly source: ToolSource } | undefined>;

export async function showWorkContext(address: WorkAddress, options: LookOptions): Promise<ShownContext> {
  const record = await options.store.works.read(address);
  return record.workflowRef === undefined
    ? showThreadContext(record, options)
    : showRunContext(record, options);
}

export type SentRequest = NonNullable<Awaited<ReturnType<typeof rebuildRequest>>>;

/** The request of a turn, with the text whose SHA-256 its event has. */
export async function rebuildWorkRequest(
  address: WorkAddress,
  turn: number,
  options: LookOptions,
): Promise<SentRequest> {
  const record = await options.store.works.read(address);
  const rebuild = async (at: LookOptions): Promise<SentRequest> => {
    const sources =
      record.workflowRef === undefined
        ? await openThreadSources(record, (await readAgentBindings(toReader(record, at), turn)).before, at)
        : await openRunSources(record, at);
    const found = await rebuildRequest(sources, turn);
    if (found) return found;
    throw await noRequest(address, turn, at);
  };
  const found = await rebuild(options);
  if (found.shown.isProved !== false) return found;
  // Earlier versions did not record the frame: it had the date of that day, and the tools of that moment.
  const { works } = options.store;
  const ofThatDay = await rebuild({
    ...options,
    now: () => new Date(found.shown.at),
    store: { ...options.store, works: { ...works, readLog: upToTurn(works, turn) } },
  });
  const { shown, ...rest } = ofThatDay;
  return shown.isProved ? { shown: { ...shown, turns: found.shown.turns }, ...rest } : found;
}

/** Reports no event after the request of the turn. */
function upToTurn(works: WorkStore, turn: number): WorkStore['readLog'] {
  return (address, onEvent) => {
    let isOver = false;
    return works.readLog(address, (event) => {
      if (!isOver) onEvent(event);
      isOver ||= event.type === 'turn.started' && event.turn === turn;
    });
  };
}

/** Which requests there are: workflows that the run called have their own. */
async function noRequest(address: WorkAddress, turn: number, options: LookOptions): Promise<CrewError> {
  const { works } = options.store;
  const countOf = async (of: WorkAddress): Promise<number> => {
    let turns = 0;
    await works.readLog(of, ({ type }) => {
      if (type === 'turn.started') turns++;
    });
    return turns;
  };
  const called: string[] = [];
  for (const child of await works.children(address)) {
    const { workflowTitle } = await works.read(child);
    called.push(`${child.workId.slice(-8)} ("${workflowTitle}", ${await countOf(child)})`);
  }
  const others = called.length > 0 ? ` Workflows that it called have their own: ${called.join(', ')}.` : '';
  return new CrewError(
    'NOT_FOUND',
    `There is no request ${turn}: the last one is number ${await countOf(address)}.${others}`,
  );
}

/** Requests that one pass over the log does not prove are rebuilt one by one, each with its own pass. */
const MAX_SINGLE = 50;

/** Compares every request of the Work with the hash of what was sent. */
export async function proveWorkRequests(address: WorkAddress, options: LookOptions): Promise<RequestProofs> {
  const record = await options.store.works.read(address);
  const sources =
    record.workflowRef === undefined
      ? await openThreadSources(record, (await readAgentBindings(toReader(record, options))).now, options)
      : await openRunSources(record, options);
  const { proved, unproved, ...proofs } = await proveRequests(sources);
  const rebuilt: number[] = [];
  for (const turn of unproved.slice(0, MAX_SINGLE))
    if ((await rebuildWorkRequest(address, turn, options)).shown.isProved) rebuilt.push(turn);
  return {
    ...proofs,
    proved: [...proved, ...rebuilt],
    unproved: unproved.filter((turn) => !rebuilt.includes(turn)),
  };
}

/** Context size of the Work's model; does not read the log. */
export async function readContextSize(
  address: WorkAddress,
  { store, now }: Pick<LookOptions, 'store' | 'now'>,
): Promise<number> {
  const { model } = await store.works.read(address);
  return (await readTraits(model, { store, now })).contextTokens;
}

async function showRunContext(record: RunRecord, options: LookOptions): Promise<ShownContext> {
  return showContext(await openRunSources(record, options));
}

async function openRunSources(record: RunRecord, options: LookOptions): Promise<LookSources> {
  const { store, context } = options;
  const loaded = await loadInstalled(record.packageHash, store, context);
  const { policy, ...sources } = await openSources(record, record.packageHash, options);
  return {
    record: { ...record, runId: record.workId, tools: policy },
    plan: toPlan(loaded, record.workflowRef),
    agents: loaded.agents,
    ...sources,
    workflow: await readWorkflowFile(
      await store.packages.seal(record.packageHash),
      resolveWorkflow(loaded, record.workflowRef).workflowPath,
    ),
    readLog: toReader(record, options),
    isOpen: await store.works.isLeased(toAddress(record)),
  };
}

type ReadLog = LookSources['readLog'];

function toReader(record: WorkRecord, { store }: LookOptions): ReadLog {
  const address = toAddress(record);
  return (onEvent) => store.works.readLog(address, onEvent);
}

async function showThreadContext(record: ConversationRecord, options: LookOptions): Promise<ShownContext> {
  const read = toReader(record, options);
  const { before, now, lastTurnSeq } = await readAgentBindings(read);
  const shown = await showContext(await openThreadSources(record, now, options));
  if (before.agent === now.agent) return shown;
  // The last turn had another agent, with other rules and tools.
  const earlier = await openThreadSources(record, before, options);
  const { last } = await showContext({
    ...earlier,
    readLog: (onEvent) =>
      read((event) => {
        if (event.seq <= lastTurnSeq) onEvent(event);
      }),
  });
  return { ...shown, last: last ?? shown.last };
}

async function openThreadSources(
  record: ConversationRecord,
  { agent }: ConversationState,
  options: LookOptions,
): Promise<LookSources> {
  const binding =
    agent && (await loadAgentBinding({ agentId: agent.agentId, hash: agent.package.hash }, options));
  const { policy, ...sources } = await openSources(record, binding?.packageHash, options);
  return {
    record: { ...toThreadRecord(record, binding), tools: policy },
    plan: undefined,
    agents: binding?.loaded.agents ?? [],
    workflow: undefined,
    menu: toMenuEntries(binding?.agent.menu ?? [], options.surface ?? 'web'),
    ...sources,
    readLog: toReader(record, options),
    isOpen: await options.store.works.isLeased(toAddress(record)),
  };
}

/** The conversation's state at a turn, by default the last one, and now. */
async function readAgentBindings(read: ReadLog, turn = Number.POSITIVE_INFINITY) {
  let now = EMPTY_CONVERSATION_STATE;
  let before: ConversationState | undefined;
  let lastTurnSeq = 0;
  await read((event) => {
    now = foldConversationState(now, event);
    if (event.type !== 'turn.started' || event.turn > turn) return;
    before = now;
    lastTurnSeq = event.seq;
  });
  return { before: before ?? now, now, lastTurnSeq };
}

async function openSources(
  record: WorkRecord,
  packageHash: string | undefined,
  { store, now, peekTools }: LookOptions,
) {
  const { projectId, tools, model } = record;
  const address = toAddress(record);
  const known = await store.projects.read(projectId);
  const { path: project } = known;
  const isSecret = createSecretCheck(tools.fs.secretPatterns);
  const pkg = packageHash === undefined ? undefined : store.packages.folder(packageHash);
  const mcp = model.kind === 'provider' ? await peekTools?.(known) : undefined;
  return {
    policy: mcp ? { ...tools, mcp: { enabled: true, allowedServers: [...mcp.servers] } } : tools,
    tools: mcp ? [mcp.source] : [],
    background: await loadBackground(store, known, now),
    files: createMountedFs({ project, pkg, state: await store.works.stateFolder(address) }, isSecret),
    document: store.works.openState(address),
    isSecret,
    traits: await readTraits(model, { store, now }),
    clock: { now, monotonicMs: () => performance.now() },
    onBug: () => undefined,
  };
}

/** Properties of a model, without a key. */
export async function readTraits(
  model: RunModel,
  { store: { localModels }, now }: Pick<LookOptions, 'store' | 'now'>,
): Promise<LookSources['traits']> {
  const adapter = await createAdapter(model, { localModels, now, warn: () => undefined });
  adapter.close();
  return adapter.traits;
}
