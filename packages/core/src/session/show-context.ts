/**
 * The last and the next request of a run or a thread to its model, read without a key and without a lock.
 */
import type { ShownContext } from '@crewagent/protocol/api/shown-context';
import type { TargetSurface } from '@crewagent/protocol/commands';
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import {
  type ConversationState,
  EMPTY_CONVERSATION_STATE,
  foldConversationState,
} from '@crewagent/protocol/conversation-state';
import type { RunEvent } from '@crewagent/protocol/events';
import type { RunModel } from '@crewagent/protocol/model';
import type { Project } from '@crewagent/protocol/project';
import type { RunRecord } from '@crewagent/protocol/run';
import type { WorkRecord } from '@crewagent/protocol/work';
import { toMenuEntries } from '../agents/menu.ts';
import { type LookSources, showContext } from '../engine/context/shown-context.ts';
import { createMountedFs } from '../mounts/mounted-fs.ts';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import { toAddress, type WorkAddress } from '../store/work-address.ts';
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

/** Context size of the Work's model; does not read the log. */
export async function readContextSize(
  address: WorkAddress,
  { store, now }: Pick<LookOptions, 'store' | 'now'>,
): Promise<number> {
  const { model } = await store.works.read(address);
  return (await readTraits(model, { store, now })).contextTokens;
}

async function showRunContext(record: RunRecord, options: LookOptions): Promise<ShownContext> {
  const { store, context } = options;
  const address = toAddress(record);
  const loaded = await loadInstalled(record.packageHash, store, context);
  const { policy, ...sources } = await openSources(record, record.packageHash, options);
  return showContext({
    record: { ...record, runId: record.workId, tools: policy },
    plan: toPlan(loaded, record.workflowRef),
    agents: loaded.agents,
    ...sources,
    workflow: await readWorkflowFile(
      await store.packages.seal(record.packageHash),
      resolveWorkflow(loaded, record.workflowRef).workflowPath,
    ),
    readLog: (onEvent) => store.works.readLog(address, onEvent),
    isOpen: await store.works.isLeased(address),
  });
}

async function showThreadContext(record: ConversationRecord, options: LookOptions): Promise<ShownContext> {
  const { store } = options;
  const address = toAddress(record);
  const read = (onEvent: (event: RunEvent) => void): Promise<unknown> =>
    store.works.readLog(address, onEvent);
  const { before, now, lastTurnSeq } = await readAgentBindings(read);
  const isOpen = await store.works.isLeased(address);
  const showAs = async ({ agent }: ConversationState, until: number): Promise<ShownContext> => {
    const binding =
      agent && (await loadAgentBinding({ agentId: agent.agentId, hash: agent.package.hash }, options));
    const { policy, ...sources } = await openSources(record, binding?.packageHash, options);
    return showContext({
      record: { ...toThreadRecord(record, binding), tools: policy },
      plan: undefined,
      agents: binding?.loaded.agents ?? [],
      workflow: undefined,
      menu: toMenuEntries(binding?.agent.menu ?? [], options.surface ?? 'web'),
      ...sources,
      readLog: (onEvent) =>
        read((event) => {
          if (event.seq <= until) onEvent(event);
        }),
      isOpen,
    });
  };
  const shown = await showAs(now, Number.POSITIVE_INFINITY);
  if (before.agent === now.agent) return shown;
  // The last turn had another agent, with other rules and tools.
  const { last } = await showAs(before, lastTurnSeq);
  return { ...shown, last: last ?? shown.last };
}

/** The conversation's state at the last turn, and now. */
async function readAgentBindings(read: (onEvent: (event: RunEvent) => void) => Promise<unknown>) {
  let now = EMPTY_CONVERSATION_STATE;
  let before: ConversationState | undefined;
  let lastTurnSeq = 0;
  await read((event) => {
    now = foldConversationState(now, event);
    if (event.type !== 'turn.started') return;
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

async function readTraits(
  model: RunModel,
  { store: { localModels }, now }: Pick<LookOptions, 'store' | 'now'>,
): Promise<LookSources['traits']> {
  const adapter = await createAdapter(model, { localModels, now, warn: () => undefined });
  adapter.close();
  return adapter.traits;
}
