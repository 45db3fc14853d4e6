/**
 * Creates, opens and lists conversations.
 */

import type { TargetSurface } from '@crewagent/protocol/commands';
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunFact } from '@crewagent/protocol/events';
import type { RunLimits } from '@crewagent/protocol/settings';
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import { CrewError } from '../../base/crew-error.ts';
import { withoutUndefined } from '../../base/optional-fields.ts';
import type { LLMAdapter } from '../../llm/llm-adapter.ts';
import { listConversations, resolveConversation } from '../../store/find-works.ts';
import type { Store } from '../../store/store.ts';
import { type ConversationAddress, toAddress } from '../../store/work-address.ts';
import type { ListedConversation } from '../../store/work-store.ts';
import { isModelNamed, type ModelChoice } from '../models/choose-model.ts';
import { openSession, type SessionOptions } from '../open-session.ts';
import { resolveAgentBinding, toEnteredAgent } from '../resolve-agent-binding.ts';
import type { AgentChoice, Session } from '../session.ts';
import { toPublicModel, toToolPolicy } from '../start-run.ts';

export interface ConversationRequest extends AgentChoice {
  readonly projectPath: string;
  /** For `workflow`, start the run with `startWorkflow`. */
  readonly kind: ConversationRecord['kind'];
  readonly model?: ModelChoice | undefined;
  readonly approval?: ApprovalPreset | undefined;
  /** Used if neither the request nor the settings choose a preset; `autopilot` by default. */
  readonly usualApproval?: ApprovalPreset | undefined;
  readonly limits?: Partial<RunLimits> | undefined;
  readonly surface?: TargetSurface | undefined;
}

export interface ConversationFilter {
  readonly projectPath?: string | undefined;
  readonly isArchived?: boolean | undefined;
}

type Options = Omit<SessionOptions, 'surface' | 'model'>;

interface CreatedConversation {
  readonly address: ConversationAddress;
  /** Of its model. */
  readonly adapter: LLMAdapter;
}

/** Creates a conversation without opening it. The caller closes the adapter. */
export async function createConversation(
  request: ConversationRequest,
  options: Options,
): Promise<CreatedConversation> {
  const { store, now, newId } = options;
  const { kind } = request;
  const settings = await options.settings();
  const model = await options.chooseModel(request.model ?? {});
  // Created first, so that a missing key or recording leaves no conversation behind.
  const adapter = await options.createAdapter(model);
  try {
    const binding = kind === 'agent' ? await resolveAgentBinding(request, undefined, options) : undefined;
    const { projectId } = await store.projects.open(request.projectPath, { now, newId });
    const agent = binding && toEnteredAgent(binding);
    const firstFacts: RunFact[] = [
      { type: 'conversation.created', kind, model: toPublicModel(model) },
      ...(agent ? [{ type: 'agent.entered', agent } as const] : []),
    ];
    const record = await store.works.create(
      {
        projectId,
        kind,
        agent,
        model,
        tools: toToolPolicy(settings.tools, request),
        limits: { ...settings.limits, ...withoutUndefined(request.limits ?? {}) },
        firstFacts,
      },
      { now, newId, publishing: (publish) => store.projects.whileStays(projectId, publish) },
    );
    return { address: toAddress(record), adapter };
  } catch (error) {
    adapter.close();
    throw error;
  }
}

export async function startConversation(request: ConversationRequest, options: Options): Promise<Session> {
  const { surface = 'electron' } = request;
  const { address, adapter } = await createConversation(request, options);
  try {
    let isUsed = false;
    return await openSession(address, {
      ...options,
      surface,
      createAdapter(chosen) {
        if (isUsed) return options.createAdapter(chosen);
        isUsed = true;
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
  const model = isModelNamed(choice) ? await options.chooseModel(choice) : undefined;
  return openSession(address, { ...options, surface, model });
}

/** Newest activity first. */
export async function listProjectConversations(
  { projectPath, isArchived }: ConversationFilter,
  store: Store,
): Promise<ListedConversation[]> {
  const project = projectPath === undefined ? undefined : await store.projects.find(projectPath);
  if (projectPath !== undefined && !project) return [];
  return listConversations(store, { projectId: project?.projectId, isArchived });
}

async function find(
  ref: string,
  { projectPath }: ConversationFilter,
  store: Store,
): Promise<ConversationAddress> {
  if (projectPath === undefined) return resolveConversation(store, ref);
  const project = await store.projects.find(projectPath);
  if (!project)
    throw new CrewError('CONVERSATION_NOT_FOUND', 'There is no conversation in this project yet.');
  return resolveConversation(store, ref, { projectId: project.projectId });
}
