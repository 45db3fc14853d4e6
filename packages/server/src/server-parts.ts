/**
 * What the routes work with: the runtime, the runs and conversations this process works on, and what is told about them. Made once.
 */
import { type Runtime, resolveConversation, resolveRun, type ValidationContext } from '@crewagent/core';
import type { ConversationView } from '@crewagent/protocol/conversation-view';
import type { RunView } from '@crewagent/protocol/run-view';
import { VERSION } from '@crewagent/protocol/version';
import { createEventHub, type EventHub } from './event-hub.ts';
import { createRunFolding, createTalkFolding } from './foldings.ts';
import { createHeldFiles, type HeldFiles } from './held-files.ts';
import type { ChannelTiming } from './log-channel.ts';
import { createOpenRuns, type OpenRuns } from './open-runs.ts';
import { createOpenSessions, type OpenSessions } from './open-sessions.ts';
import { createRedactor, type Redact } from './redact.ts';
import { createRunLists, type RunLists } from './run-list.ts';
import { createWaitingPreviews, type WaitingPreviews } from './waiting-previews.ts';

export interface ServerParts {
  readonly runtime: Runtime;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly context: ValidationContext;
  readonly redact: Redact;
  /** Of runs, and of conversations without their runs. */
  readonly hub: EventHub<RunView>;
  readonly talkHub: EventHub<ConversationView>;
  readonly openRuns: OpenRuns;
  readonly openSessions: OpenSessions;
  readonly runLists: RunLists;
  readonly heldFiles: HeldFiles;
  readonly previews: WaitingPreviews;
  /** A folder with packages that come with the program. */
  readonly examplesRoot: string | undefined;
  readonly startedAt: string;
  onBug(id: string, error: unknown): void;
  /** To be done when the server ends, after everything else. */
  onClose(end: () => void): void;
  /** Stops all that goes on in this process, resumable, and ends all streams. */
  close(): Promise<void>;
}

export interface PartsOptions {
  readonly runtime: Runtime;
  /** Where keys and model names may come from. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly examplesRoot?: string | undefined;
  readonly timing?: Partial<ServerTiming> | undefined;
  /** The clock that previews expire by. */
  readonly monotonicMs?: (() => number) | undefined;
  onBug(id: string, error: unknown): void;
}

export interface ServerTiming extends ChannelTiming {
  /** How long a run or a conversation that rests is kept. */
  readonly keepMs: number;
}

export function createServerParts({
  runtime,
  env,
  examplesRoot,
  timing = {},
  monotonicMs,
  onBug,
}: PartsOptions): ServerParts {
  const redact = createRedactor(runtime.store.root);
  const { store } = runtime;
  const hub = createEventHub({
    find: async (runId) => ({ log: store.run(await resolveRun(store, runId)).log }),
    createFolding: createRunFolding,
    redact,
    timing,
    onBug,
  });
  const talkHub = createEventHub({
    find: async (conversationId) => store.conversation(await resolveConversation(store, conversationId)),
    createFolding: createTalkFolding,
    redact,
    timing,
    onBug,
  });
  const holding = { runtime, hub, keepMs: timing.keepMs, onPhase: () => runLists.poke(), onBug };
  const openRuns = createOpenRuns(holding);
  const openSessions = createOpenSessions({
    ...holding,
    talkHub,
    letGoOfRuns: (id) => openRuns.closeResting(({ conversationId }) => conversationId === id),
  });
  const runLists: RunLists = createRunLists({
    runtime,
    redact,
    isHeld: (id) =>
      openRuns.heldRun(id) !== undefined ||
      openSessions.heldSession(id) !== undefined ||
      openSessions.isDriving(id),
    timing: timing.lookEveryMs === undefined ? timing : { ...timing, lookEveryMs: timing.lookEveryMs * 5 },
    onBug,
  });
  const heldFiles = createHeldFiles(runtime, timing);
  const previews = createWaitingPreviews(monotonicMs);
  const endings: (() => void)[] = [];
  return {
    runtime,
    env,
    context: { runtimeVersion: VERSION, knownServers: new Set() },
    redact,
    hub,
    talkHub,
    openRuns,
    openSessions,
    runLists,
    heldFiles,
    previews,
    examplesRoot,
    startedAt: new Date().toISOString(),
    onBug,
    onClose: (end) => void endings.push(end),
    async close() {
      try {
        await openSessions.close();
      } finally {
        await openRuns.close();
        runLists.close();
        await heldFiles.close();
        previews.close();
        hub.close();
        talkHub.close();
        for (const end of endings) end();
      }
    },
  };
}
