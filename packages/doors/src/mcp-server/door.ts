/** What all connections of a process share: the open runs, the catalogue, and who is told when something changes. */
import type { HostedRun, Runtime, ValidationContext } from '@crewagent/core';
import type { RunEventType } from '@crewagent/protocol/events';
import { VERSION } from '@crewagent/protocol/version';
import type { Server } from '@modelcontextprotocol/server';
import { createCatalogue } from './catalogue.ts';
import { createOpenRuns } from './open-runs.ts';
import { toRunUri } from './resources.ts';
import { type Connection, createDoorServer } from './server.ts';

export interface DoorOptions {
  readonly runtime: Runtime;
  readonly context: ValidationContext;
  readonly examplesRoot: string | undefined;
  /** Of the person, as a tag. */
  readonly language: string | undefined;
}

export interface Door {
  /** The server of a connection. */
  connect(connection: Connection): Server;
  /** Reports each changed resource, also to readers without a connection. */
  watch(listener: (change: DoorChange) => void): () => void;
  close(): Promise<void>;
}

/** Without `uri`: the list of resources. */
export interface DoorChange {
  readonly uri?: string;
}

/** What each resource of a run depends on. */
const CHANGING: Readonly<Partial<Record<RunEventType, readonly string[]>>> = {
  'state.changed': ['brief', 'state', 'evidence'],
  'checks.judged': ['evidence'],
  'transition.refused': ['evidence'],
  'question.answered': ['brief', 'evidence'],
  'check.waived': ['evidence'],
  'artifact.written': ['state'],
  'phase.changed': ['brief', 'evidence'],
};

export function createDoor({ runtime, context, examplesRoot, language }: DoorOptions): Door {
  const listeners = new Set<(change: DoorChange) => void>();
  const report = (change: DoorChange): void => {
    for (const listener of listeners) listener(change);
  };
  const onOpened = ({ record: { workId }, engine }: HostedRun): void => {
    report({});
    engine.subscribe((event) => {
      for (const part of CHANGING[event.type] ?? []) report({ uri: toRunUri(workId, part) });
      if (event.type === 'artifact.written') report({});
    });
  };
  const openRuns = createOpenRuns({ runtime, onOpened });
  const catalogue = createCatalogue({ runtime, context, examplesRoot });
  const parts = {
    runtime,
    openRuns,
    catalogue,
    language: language?.startsWith('zh') ? ('zh-CN' as const) : ('en' as const),
    version: VERSION,
  };
  const watch: Door['watch'] = (listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    connect(connection) {
      const subscriptions = new Set<string>();
      const server = createDoorServer(parts, connection, subscriptions);
      if (connection.isForOneRequest) return server;
      const unwatch = watch(({ uri }) => {
        const isTold = uri === undefined || subscriptions.has(uri);
        if (!isTold) return;
        const sent =
          uri === undefined ? server.sendResourceListChanged() : server.sendResourceUpdated({ uri });
        // The host is gone, or has no channel for it.
        sent.catch(() => undefined);
      });
      server.onclose = unwatch;
      return server;
    },
    watch,
    close: () => openRuns.close(),
  };
}
