/**
 * Conversations as the outside asks for them: making one, opening one, looking at one without disturbing it, and the rest
 * of its life. Loaded only where there is talk.
 */
import type { TargetSurface } from '@crewagent/protocol/commands';
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import {
  addToConversationView,
  type ConversationView,
  createConversationView,
} from '@crewagent/protocol/conversation-view';
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import type { RunLimits } from '@crewagent/protocol/settings';
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import { CrewError } from '../base/crew-error.ts';
import {
  archiveConversation,
  createConversation,
  deleteConversation,
  readConversationRecord,
  renameConversation,
} from '../store/conversation-store.ts';
import {
  type ListedConversation,
  listConversations,
  resolveConversation,
} from '../store/find-conversations.ts';
import type { ConversationAddress, StoreLayout } from '../store/layout.ts';
import { findProject, openProject, whileProjectStays } from '../store/project-store.ts';
import { isRunLocked } from '../store/run-lock.ts';
import { type LogReading, readRunLog } from '../store/run-log.ts';
import { requestStop } from '../store/stop-request.ts';
import type { ModelChoice } from './choose-model.ts';
import { choosePartner, toEnteredAgent } from './choose-partner.ts';
import { openTalkChanges } from './open-changes.ts';
import { openSession, type SessionOptions } from './open-session.ts';
import type { AgentChoice, Session } from './session.ts';
import { toTold, toToolPolicy } from './start-run.ts';

export interface ConversationRequest extends AgentChoice {
  readonly projectPath: string;
  /** A workflow is begun in it with `startWorkflow`. */
  readonly kind: ConversationRecord['kind'];
  readonly model?: ModelChoice | undefined;
  readonly approval?: ApprovalPreset | undefined;
  /** Where neither this request nor the settings say; `autopilot` if left out. */
  readonly usualApproval?: ApprovalPreset | undefined;
  readonly limits?: Partial<RunLimits> | undefined;
  readonly surface?: TargetSurface | undefined;
}

export interface ConversationFilter {
  readonly projectPath?: string | undefined;
  readonly isArchived?: boolean | undefined;
}

export interface ConversationReport {
  readonly record: ConversationRecord;
  readonly view: ConversationView;
  /** A process is at work on it. */
  readonly isOpen: boolean;
}

type Options = Omit<SessionOptions, 'surface' | 'model'>;

export async function startConversation(request: ConversationRequest, options: Options): Promise<Session> {
  const { store, now, newId } = options;
  const { kind, surface = 'electron' } = request;
  const settings = await options.settings();
  const model = await options.chooseModel(request.model ?? {});
  // A key or a recording that is missing leaves no conversation behind.
  const adapter = await options.createAdapter(model);
  try {
    const partner = kind === 'agent' ? await choosePartner(request, undefined, options) : undefined;
    const { projectId } = await openProject(store, request.projectPath, { now, newId });
    const agent = partner && toEnteredAgent(partner);
    const firstFacts: RunFact[] = [
      { type: 'conversation.created', kind, model: toTold(model) },
      ...(agent ? [{ type: 'agent.entered', agent } as const] : []),
    ];
    const limits = Object.entries(request.limits ?? {}).filter(([, value]) => value !== undefined);
    const record = await createConversation(
      store,
      {
        projectId,
        kind,
        ...(agent ? { agent } : {}),
        model,
        tools: toToolPolicy(settings.tools, request),
        limits: { ...settings.limits, ...Object.fromEntries(limits) },
        firstFacts,
      },
      { now, newId, publishing: (publish) => whileProjectStays(store, projectId, publish) },
    );
    let isTaken = false;
    return await openSession(record, {
      ...options,
      surface,
      createAdapter(used) {
        if (isTaken) return options.createAdapter(used);
        isTaken = true;
        return Promise.resolve(adapter);
      },
    });
  } catch (error) {
    adapter.close();
    throw error;
  }
}

export interface ReopenConversation extends ConversationFilter {
  readonly model?: ModelChoice | undefined;
  readonly surface?: TargetSurface | undefined;
}

export async function reopenConversation(
  ref: string,
  { model: choice = {}, surface = 'electron', ...filter }: ReopenConversation,
  options: Options,
): Promise<Session> {
  const address = await find(ref, filter, options.store);
  const isNamed = Object.values(choice).some((value) => value !== undefined);
  const model = isNamed ? await options.chooseModel(choice) : undefined;
  return openSession(address, { ...options, surface, model });
}

/** The newest activity first. */
export async function listProjectConversations(
  { projectPath, isArchived }: ConversationFilter,
  store: StoreLayout,
): Promise<ListedConversation[]> {
  const project = projectPath === undefined ? undefined : await findProject(store, projectPath);
  if (projectPath !== undefined && !project) return [];
  return listConversations(store, { projectId: project?.projectId, isArchived });
}

export async function showConversation(ref: string, store: StoreLayout): Promise<ConversationReport> {
  const address = await find(ref, {}, store);
  const record = await readConversationRecord(store, address);
  const paths = store.conversation(address);
  const view = createConversationView(record.conversationId);
  await readRunLog(paths.log, (event) => addToConversationView(view, event), { outputs: paths.outputs });
  for (const runId of view.state.runIds) {
    const { log } = store.run({ projectId: record.projectId, runId });
    await readRunLog(log, (event) => addToConversationView(view, event));
  }
  return { record, view, isOpen: await isRunLocked(paths.lock) };
}

export async function readConversationLog(
  ref: string,
  onEvent: (event: RunEvent) => void,
  store: StoreLayout,
): Promise<LogReading> {
  const { log, outputs } = store.conversation(await find(ref, {}, store));
  return readRunLog(log, onEvent, { outputs });
}

export async function renameByRef(
  ref: string,
  title: string,
  store: StoreLayout,
): Promise<ConversationRecord> {
  return renameConversation(store, await find(ref, {}, store), title);
}

export async function archiveByRef(
  ref: string,
  isArchived: boolean,
  { store, now }: Pick<Options, 'store' | 'now'>,
): Promise<ConversationRecord> {
  return archiveConversation(store, await find(ref, {}, store), isArchived, now);
}

export async function deleteByRef(ref: string, store: StoreLayout): Promise<void> {
  return deleteConversation(store, await find(ref, {}, store));
}

export async function openChangesByRef(ref: string, options: Pick<Options, 'store' | 'now'>) {
  return openTalkChanges(await find(ref, {}, options.store), options);
}

/** Asks whichever process works on it; false when nobody does. */
export async function stopByRef(ref: string, store: StoreLayout): Promise<boolean> {
  const address = await find(ref, {}, store);
  const paths = store.conversation(address);
  if (!(await isRunLocked(paths.lock))) return false;
  const { projectId, activeRunId: runId } = await readConversationRecord(store, address);
  await requestStop(paths.stop);
  const run = runId === undefined ? undefined : store.run({ projectId, runId });
  if (run && (await isRunLocked(run.lock))) await requestStop(run.stop);
  return true;
}

async function find(
  ref: string,
  { projectPath }: ConversationFilter,
  store: StoreLayout,
): Promise<ConversationAddress> {
  if (projectPath === undefined) return resolveConversation(store, ref);
  const project = await findProject(store, projectPath);
  if (!project)
    throw new CrewError('CONVERSATION_NOT_FOUND', 'There is no conversation in this project yet.');
  return resolveConversation(store, ref, { projectId: project.projectId });
}
