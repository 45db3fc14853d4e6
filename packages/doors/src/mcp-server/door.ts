/** What all connections of a process share: the open runs, the catalogue, and who is told when something changes. */
import type { HostedRun, Runtime, ValidationContext } from '@crewagent/core';
import type { RunEventType } from '@crewagent/protocol/events';
import { VERSION } from '@crewagent/protocol/version';
import type { Server, ServerEvent } from '@modelcontextprotocol/server';
import { createCatalogue } from './catalogue.ts';
import { followStore } from './follow-store.ts';
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
  /** Reports each change, by whichever process, also to readers without a connection. */
  watch(listener: (change: ServerEvent) => void): () => void;
  close(): Promise<void>;
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
  const listeners = new Set<(change: ServerEvent) => void>();
  const report = (change: ServerEvent): void => {
    for (const listener of listeners) listener(change);
  };
  const onOpened = ({ record: { workId }, engine }: HostedRun): void => {
    report({ kind: 'resources_list_changed' });
    engine.subscribe((event) => {
      for (const part of CHANGING[event.type] ?? [])
        report({ kind: 'resource_updated', uri: toRunUri(workId, part) });
      if (event.type === 'artifact.written') report({ kind: 'resources_list_changed' });
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
  let unfollow: (() => void) | undefined;
  const watch: Door['watch'] = (listener) => {
    listeners.add(listener);
    unfollow ??= followStore({ store: runtime.store, isOpen: openRuns.isOpen, report });
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      unfollow?.();
      unfollow = undefined;
    };
  };
  return {
    connect(connection) {
      // Without a handshake the SDK keeps them.
      const subscriptions = connection.hasHandshake === false ? undefined : new Set<string>();
      const server = createDoorServer(parts, connection, subscriptions);
      if (connection.isForOneRequest) return server;
      const unwatch = watch((change) => {
        const isTold = change.kind !== 'resource_updated' || subscriptions?.has(change.uri) !== false;
        // The host is gone, or has no channel for it.
        if (isTold) send(server, change).catch(() => undefined);
      });
      server.onclose = unwatch;
      return server;
    },
    watch,
    close: () => openRuns.close(),
  };
}

function send(server: Server, change: ServerEvent): Promise<void> {
  if (change.kind === 'prompts_list_changed') return server.sendPromptListChanged();
  return change.kind === 'resource_updated'
    ? server.sendResourceUpdated({ uri: change.uri })
    : server.sendResourceListChanged();
}
