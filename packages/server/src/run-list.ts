/**
 * The runs of this user as lists and inboxes show them, whichever process works on them, and each change as it happens.
 */

import { basename } from 'node:path';
import { createRunWatch, isRunLocked, type ListedRun, type Runtime } from '@crewagent/core';
import type { RunList, RunSummary } from '@crewagent/protocol/api/run-messages';
import type { RunModel } from '@crewagent/protocol/model';
import type { RunRecord } from '@crewagent/protocol/run';
import { createFeed, type Feed, type FeedTiming, toFrame } from './feed.ts';
import type { Redact } from './redact.ts';

export interface RunLists {
  list(filter?: RunFilter): Promise<RunList>;
  /** The stream of a new reader: of one project, or of all. */
  open(projectId: string | undefined, onStalled: () => void): Promise<ReadableStream<Uint8Array>>;
  /** Something changed a moment ago: looks now. */
  poke(): void;
  close(): void;
}

interface RunFilter {
  readonly project?: string | undefined;
  readonly phase?: RunRecord['phase'] | undefined;
}

export interface RunListOptions {
  readonly runtime: Runtime;
  readonly redact: Redact;
  /** Runs this process works on: their lock is ours. */
  isHeld(runId: string): boolean;
  readonly timing?: Partial<FeedTiming & { readonly lookEveryMs: number }> | undefined;
  onBug(id: string, error: unknown): void;
}

const LOOK_EVERY_MS = 1_000;

export function createRunLists({ runtime, redact, isHeld, timing, onBug }: RunListOptions): RunLists {
  const watch = createRunWatch(runtime.store);
  const feeds = new Map<string | undefined, Feed>();
  let looker: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isClosed = false;

  const listNow = ({ project, phase }: RunFilter): RunList => {
    const runs = watch.list().filter(({ projectId }) => project === undefined || projectId === project);
    return {
      runs: runs
        .flatMap(({ record }) => (record ? [toSummary(record)] : []))
        .filter((run) => phase === undefined || run.phase === phase),
      damaged: runs.flatMap(({ runId, projectId, record, problem }) =>
        record ? [] : [{ runId, projectId, problem: problem ?? 'It cannot be read.' }],
      ),
    };
  };

  const look = (): Promise<void> => {
    looking ??= lookOnce().finally(() => {
      looking = undefined;
    });
    return looking;
  };
  const lookOnce = async (): Promise<void> => {
    tell(await watch.look());
    if (!(await hasDead(watch.list()))) return;
    await runtime.sweepInterrupted();
    tell(await watch.look());
  };
  /** A run that says Running while nobody works on it. */
  const hasDead = async (runs: readonly ListedRun[]): Promise<boolean> => {
    for (const run of runs) {
      if (run.record?.phase !== 'Running' || isHeld(run.runId)) continue;
      if (!(await isRunLocked(runtime.store.run(run).lock))) return true;
    }
    return false;
  };
  const tell = ({ changed, removed }: Awaited<ReturnType<typeof watch.look>>): void => {
    for (const { projectId, record } of changed) {
      if (record) publish(projectId, 'run', toSummary(record));
    }
    for (const { projectId, runId } of removed) publish(projectId, 'run.removed', { runId });
  };
  const publish = (projectId: string, event: string, data: unknown): void => {
    const frame = toFrame(redact(JSON.stringify(data)), { event });
    feeds.get(projectId)?.publish(frame);
    feeds.get(undefined)?.publish(frame);
  };
  const lookLater = (afterMs: number): void => {
    clearTimeout(looker);
    if (isClosed || ![...feeds.values()].some(({ readers }) => readers > 0)) return;
    looker = setTimeout(() => {
      void look()
        .catch((error: unknown) => onBug('run list', error))
        .finally(() => lookLater(timing?.lookEveryMs ?? LOOK_EVERY_MS));
    }, afterMs).unref();
  };
  const feedOf = (projectId: string | undefined): Feed => {
    const known = feeds.get(projectId);
    if (known) return known;
    const made = createFeed({
      timing,
      snapshot: () => toFrame(redact(JSON.stringify(listNow({ project: projectId }))), { event: 'snapshot' }),
      onReaders(readers) {
        if (readers === 0) feeds.delete(projectId);
      },
    });
    feeds.set(projectId, made);
    return made;
  };

  return {
    async list(filter = {}) {
      await look();
      return listNow(filter);
    },
    async open(projectId, onStalled) {
      await look();
      const stream = feedOf(projectId).open({ onStalled });
      lookLater(timing?.lookEveryMs ?? LOOK_EVERY_MS);
      return stream;
    },
    poke: () => lookLater(0),
    close() {
      isClosed = true;
      clearTimeout(looker);
      for (const feed of feeds.values()) feed.close();
    },
  };
}

export function toSummary(record: RunRecord): RunSummary {
  const { runId, projectId, parentRunId, packageHash, packageName, packageVersion } = record;
  const { workflowRef, workflowTitle, activeAgentId, phase, reason, createdAt, updatedAt } = record;
  return {
    runId,
    projectId,
    ...(parentRunId === undefined ? {} : { parentRunId }),
    package: { name: packageName, version: packageVersion, hash: packageHash },
    workflow: { ref: workflowRef, title: workflowTitle },
    activeAgentId,
    model: withoutPath(record.model),
    phase,
    ...(reason ? { reason } : {}),
    createdAt,
    updatedAt,
  };
}

/** Where a recording lies is nobody's business. */
function withoutPath(model: RunModel): RunModel {
  return model.kind === 'replay' ? { ...model, file: basename(model.file) } : model;
}
