/** The open thread of a conversation, and the model that it shares with the runs of the conversation. */
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunModel } from '@crewagent/protocol/model';
import type { Project } from '@crewagent/protocol/project';
import type { WorkStory } from '@crewagent/protocol/story/work-story';
import type { LLMAdapter } from '../../llm/llm-adapter.ts';
import { toAddress } from '../../store/work-address.ts';
import type { WorkStore } from '../../store/work-store.ts';
import { isSameValue } from '../../workflow/same-value.ts';
import { shareAdapter } from '../models/model-adapter.ts';
import {
  type AgentBinding,
  loadAgentBinding,
  type OpenThread,
  type OpenThreadOptions,
  openThread,
} from './open-thread.ts';

/** Options of every engine of the conversation. */
type EngineOptions = Omit<OpenThreadOptions, 'binding'>;

/** The record of the conversation, as this process last read or wrote it. */
export interface HeldRecord {
  readonly current: ConversationRecord;
  update(change: (latest: ConversationRecord) => ConversationRecord): Promise<void>;
}

export function holdRecord(works: Pick<WorkStore, 'update'>, found: ConversationRecord): HeldRecord {
  const address = toAddress(found);
  let current = found;
  return {
    get current() {
      return current;
    },
    async update(change) {
      current = await works.update<ConversationRecord>(address, change);
    },
  };
}

interface ThreadParts {
  readonly record: HeldRecord;
  readonly project: Project;
  readonly view: WorkStory;
}

export type ActiveThread = Awaited<ReturnType<typeof openActiveThread>>;

export async function openActiveThread({ record, project, view }: ThreadParts, options: EngineOptions) {
  let adapter = await options.createAdapter(record.current.model);
  const createAdapter = async (model: RunModel): Promise<LLMAdapter> =>
    isSameValue(model, record.current.model) ? shareAdapter(adapter) : options.createAdapter(model);
  const opening = { ...options, createAdapter };

  const open = (binding: AgentBinding | undefined): Promise<OpenThread> =>
    openThread(record.current, project, { ...opening, binding });
  let thread: OpenThread;
  try {
    const { agent } = view.state;
    const known = agent && { agentId: agent.agentId, hash: agent.package.hash };
    thread = await open(known && (await loadAgentBinding(known, opening)));
  } catch (error) {
    adapter.close();
    throw error;
  }

  /** If the thread cannot be reopened, `restore` runs before the previous one is opened again. */
  const reopen = async (next: AgentBinding | undefined, restore?: () => Promise<void>): Promise<void> => {
    const before = thread.binding;
    await thread.close();
    try {
      thread = await open(next);
    } catch (error) {
      await restore?.();
      thread = await open(before);
      throw error;
    }
  };
  const saveModel = (model: RunModel): Promise<void> => record.update((latest) => ({ ...latest, model }));

  return {
    get thread(): OpenThread {
      return thread;
    },
    /** Options for engines of this conversation: they share its model, connection and recording. */
    opening,
    /** Reopens the thread with another agent; with the previous one if that fails. */
    reopen: (next: AgentBinding | undefined): Promise<void> => reopen(next),
    /** `closeRun` is called before the thread is reopened with the new model. */
    async setModel(model: RunModel, closeRun: () => Promise<void>): Promise<void> {
      const before = { adapter, model: record.current.model };
      const next = await options.createAdapter(model);
      try {
        await saveModel(model);
        adapter = next;
        await closeRun();
        await reopen(thread.binding, async () => {
          adapter = before.adapter;
          await saveModel(before.model);
        });
      } catch (error) {
        next.close();
        throw error;
      }
      before.adapter.close();
    },
    async close(): Promise<void> {
      try {
        await thread.close();
      } finally {
        adapter.close();
      }
    },
  };
}
