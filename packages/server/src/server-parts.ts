/**
 * What the routes work with: the runtime, the runs this process works on, and what is told about them. Made once.
 */
import type { Runtime, ValidationContext } from '@crewagent/core';
import { VERSION } from '@crewagent/protocol/version';
import { createEventHub, type EventHub } from './event-hub.ts';
import { createOpenRuns, type OpenRuns } from './open-runs.ts';
import { createRedactor, type Redact } from './redact.ts';
import type { ChannelTiming } from './run-channel.ts';
import { createRunLists, type RunLists } from './run-list.ts';

export interface ServerParts {
  readonly runtime: Runtime;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly context: ValidationContext;
  readonly redact: Redact;
  readonly hub: EventHub;
  readonly openRuns: OpenRuns;
  readonly runLists: RunLists;
  readonly startedAt: string;
  onBug(id: string, error: unknown): void;
  /** Stops all runs of this process, resumable, and ends all streams. */
  close(): Promise<void>;
}

export interface PartsOptions {
  readonly runtime: Runtime;
  /** Where keys and model names may come from. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timing?: Partial<ServerTiming> | undefined;
  onBug(id: string, error: unknown): void;
}

export interface ServerTiming extends ChannelTiming {
  /** How long a run that rests is kept. */
  readonly keepMs: number;
}

export function createServerParts({ runtime, env, timing = {}, onBug }: PartsOptions): ServerParts {
  const redact = createRedactor(runtime.store.root);
  const hub = createEventHub({ store: runtime.store, redact, timing, onBug });
  const openRuns: OpenRuns = createOpenRuns({
    runtime,
    hub,
    ...(timing.keepMs === undefined ? {} : { keepMs: timing.keepMs }),
    onPhase: () => runLists.poke(),
    onBug,
  });
  const runLists = createRunLists({
    runtime,
    redact,
    isHeld: (runId) => openRuns.heldRun(runId) !== undefined,
    timing: timing.lookEveryMs === undefined ? timing : { ...timing, lookEveryMs: timing.lookEveryMs * 5 },
    onBug,
  });
  return {
    runtime,
    env,
    context: { runtimeVersion: VERSION, knownServers: new Set() },
    redact,
    hub,
    openRuns,
    runLists,
    startedAt: new Date().toISOString(),
    onBug,
    async close() {
      try {
        await openRuns.close();
      } finally {
        runLists.close();
        hub.close();
      }
    },
  };
}
