/**
 * A conversation with the model of the test, and all events of it and its runs recorded: in the memory store, or on disk for
 * tests of its files.
 */
import { join } from 'node:path';
import type { TargetSurface } from '@crewagent/protocol/commands';
import type { ConversationKind, ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunEvent, RunEventType } from '@crewagent/protocol/events';
import { settingsSchema } from '@crewagent/protocol/settings';
import { onTestFinished } from 'vitest';
import { createUuidV7 } from '../../base/uuid-v7.ts';
import type { LLMAdapter } from '../../llm/llm-adapter.ts';
import { startConversation } from '../../session/conversation/conversations.ts';
import { openSession, type SessionOptions } from '../../session/open-session.ts';
import type { Session } from '../../session/session.ts';
import { showWork, type WorkReport } from '../../session/show-work.ts';
import type { WorkPaths } from '../../store/disk/layout.ts';
import { type DiskStore, openDiskStore } from '../../store/disk/open-store.ts';
import { openMemoryStore } from '../../store/open-memory-store.ts';
import type { Store } from '../../store/store.ts';
import { toAddress } from '../../store/work-address.ts';
import { tempFolder } from '../temp-folder.ts';
import { CONTEXT, type WorkRigOptions, writeFolders } from './run-rig.ts';

export interface SessionRigOptions extends WorkRigOptions {
  readonly kind?: ConversationKind;
  readonly surface?: TargetSurface;
}

export interface SessionRig {
  readonly session: Session;
  readonly store: Store;
  readonly project: string;
  readonly packageFolder: string;
  readonly events: RunEvent[];
  readonly bugs: unknown[];
  eventsOf<Type extends RunEventType>(type: Type): Extract<RunEvent, { type: Type }>[];
  /** The state document of a run of the conversation, by default the newest. */
  stateText(runId?: string): Promise<string>;
  /** The conversation as read from the store. */
  reload(): Promise<WorkReport<ConversationRecord>>;
  /** Options for another conversation in the same store. */
  optionsFor(model: LLMAdapter): SessionOptions;
  /** Closes the conversation and opens it again, as another process would. */
  reopen(model?: LLMAdapter): Promise<SessionRig>;
}

export interface DiskSessionRig extends SessionRig {
  readonly store: DiskStore;
  /** Paths of the conversation. */
  readonly paths: WorkPaths;
  reopen(model?: LLMAdapter): Promise<DiskSessionRig>;
}

export async function createSessionRig(options: SessionRigOptions): Promise<SessionRig> {
  const root = await tempFolder();
  return startRig(options, root, openMemoryStore(root));
}

export async function createDiskSessionRig(options: SessionRigOptions): Promise<DiskSessionRig> {
  const root = await tempFolder();
  const store = openDiskStore(join(root, 'store'));
  return withPaths(await startRig(options, root, store), store);
}

function withPaths(rig: SessionRig, store: DiskStore): DiskSessionRig {
  const paths = store.work(toAddress(rig.session.record));
  return { ...rig, store, paths, reopen: async (model) => withPaths(await rig.reopen(model), store) };
}

async function startRig(options: SessionRigOptions, root: string, store: Store): Promise<SessionRig> {
  const { project, packageFolder } = await writeFolders(root, options);
  const bugs: unknown[] = [];
  const now = (): Date => new Date();
  const session: Omit<SessionOptions, 'createAdapter'> = {
    store,
    context: CONTEXT,
    now,
    newId: createUuidV7(now),
    surface: options.surface ?? 'electron',
    settings: () => Promise.resolve(settingsSchema.parse(options.settings ?? {})),
    chooseModel: ({ model }) =>
      Promise.resolve(
        model === undefined
          ? { kind: 'rehearsal' }
          : { kind: 'provider', settings: { provider: 'generic', model } },
      ),
    onBug: (_, error) => bugs.push(error),
  };
  const withModel = (model: LLMAdapter): SessionOptions => ({
    ...session,
    createAdapter: () => Promise.resolve(model),
  });
  const rigOf = (opened: Session, model: LLMAdapter): SessionRig => {
    onTestFinished(() => opened.close());
    const events: RunEvent[] = [];
    opened.subscribe((event) => events.push(event));
    const { projectId } = opened.record;
    const address = toAddress(opened.record);
    return {
      session: opened,
      store,
      project,
      packageFolder,
      events,
      bugs,
      eventsOf: <Type extends RunEventType>(type: Type) =>
        events.filter((event): event is Extract<RunEvent, { type: Type }> => event.type === type),
      stateText: async (runId = opened.view.state.runIds.at(-1) ?? '') =>
        (await store.works.openState({ projectId, workId: runId, isRun: true }).read()).text,
      reload: () => showWork(session.store, address),
      optionsFor: withModel,
      async reopen(other = model) {
        await opened.close();
        return rigOf(await openSession(address, withModel(other)), other);
      },
    };
  };
  const opened = await startConversation(
    {
      projectPath: project,
      kind: options.kind ?? 'agent',
      package: packageFolder,
      agent: options.agent,
      surface: options.surface,
    },
    withModel(options.model),
  );
  return rigOf(opened, options.model);
}

/** Waits until `count` events of a type were emitted. */
export async function waitFor(rig: SessionRig, type: RunEvent['type'], count = 1): Promise<void> {
  while (rig.events.filter((event) => event.type === type).length < count) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
