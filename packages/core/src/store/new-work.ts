/** Creates records from drafts, for every adapter. */
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunRecord } from '@crewagent/protocol/run';
import { CrewError } from '../base/crew-error.ts';
import { createUuidV7 } from '../base/uuid-v7.ts';
import { createInitialState } from '../workflow/initial-state.ts';
import { checkWork } from './work-facts.ts';
import type { ConversationDraft, RunDraft, WorkMaker } from './work-store.ts';

export interface NewRun {
  readonly record: RunRecord;
  /** Text of the state document. */
  readonly state: string;
}

/** The phase is WaitingUser: with a free lease, a Running run would look interrupted. */
export async function toNewRun(draft: RunDraft, maker: WorkMaker): Promise<NewRun> {
  const { stateTemplate, entryNodeId, inputDocuments, blanks, firstFacts: _, ...rest } = draft;
  const { variables, artifacts, ...pinned } = rest;
  const record = checkWork<RunRecord>({
    ...stamp(maker),
    kind: 'workflow',
    ...pinned,
    reason: { code: 'interrupted', message: 'The run was created and has not been started.' },
  });
  const state = await createInitialState(stateTemplate, {
    runId: record.workId,
    activeAgentId: record.activeAgentId,
    workflowRef: record.workflowRef,
    currentNodeId: entryNodeId,
    updatedAt: record.updatedAt,
    ...(inputDocuments ? { inputDocuments } : {}),
    ...(blanks ? { blanks } : {}),
    ...(variables ? { variables } : {}),
    ...(artifacts ? { artifacts } : {}),
  });
  if (state.ok) return { record, state: state.text };
  throw new CrewError('PACKAGE_INVALID', `The workflow cannot be started: ${state.error.message}`, {
    details: state.error.details ?? {},
  });
}

export function toNewConversation(draft: ConversationDraft, maker: WorkMaker): ConversationRecord {
  const { firstFacts: _, title = '', ...pinned } = draft;
  return checkWork<ConversationRecord>({ ...stamp(maker), title, ...pinned });
}

function stamp({ now, newId = createUuidV7(now) }: WorkMaker) {
  const at = now().toISOString();
  return {
    schemaVersion: 1,
    workId: newId(),
    phase: 'WaitingUser',
    createdAt: at,
    updatedAt: at,
  } as const;
}
