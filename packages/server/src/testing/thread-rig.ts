/**
 * Shared by tests of Works: a package with an agent, and a client's view of a Work, folded from its own stream and the streams
 * of its runs.
 */
import { join } from 'node:path';
import type { ApiClient } from '@crewagent/protocol/api/client';
import { addWorkMessage, toWorkStory, type WorkMessage } from '@crewagent/protocol/api/work-messages';
import {
  activeStory,
  createWorkStory,
  toWorkItems,
  type WorkStory,
} from '@crewagent/protocol/story/work-story';
import { onTestFinished } from 'vitest';
import { writeTree } from '../../../core/src/testing/file-tree.ts';
import { threadPackage } from '../../../core/src/testing/packages/thread-package.ts';
import { prepare, type ReadyToRun, type ServerRig } from './server-rig.ts';

export async function prepareThreads(
  rig: Pick<ServerRig, 'client' | 'project' | 'root'>,
): Promise<ReadyToRun> {
  await writeTree(join(rig.root, 'package'), threadPackage());
  return prepare(rig, join(rig.root, 'package'));
}

/** Follows a Work as the page does: its stream, and the streams of all its runs. */
export function watchWork(client: ApiClient, workId: string) {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const { signal } = controller;
  const messages: WorkMessage[] = [];
  const waiting = new Set<() => void>();
  const runs = new Set<string>();
  const failures: unknown[] = [];
  let view = createWorkStory(workId);

  const record = (message: WorkMessage): void => {
    messages.push(message);
    for (const runId of view.state.runIds) if (!runs.has(runId)) void followRun(runId);
    for (const wake of waiting) wake();
  };
  const fail = (error: unknown): void => {
    failures.push(error);
    for (const wake of waiting) wake();
  };
  const followRun = async (runId: string): Promise<void> => {
    runs.add(runId);
    try {
      let run = createWorkStory(runId);
      for await (const message of client.works.events({ workId: runId }, { signal })) {
        run = addWorkMessage(run, message);
        view.runs.set(runId, run.own);
        record(message);
      }
    } catch (error) {
      fail(error);
    }
  };
  const follow = async (): Promise<void> => {
    try {
      for await (const message of client.works.events({ workId }, { signal })) {
        view = addWorkMessage(view, message);
        record(message);
      }
    } catch (error) {
      fail(error);
    }
  };
  void follow();

  return {
    get view() {
      return view;
    },
    messages,
    stop: () => controller.abort(),
    /** The first view that matches. */
    async until(fits: (view: WorkStory) => boolean): Promise<WorkStory> {
      while (!fits(view)) {
        if (failures.length > 0) throw failures[0];
        await new Promise<void>((resolve) => {
          const wake = (): void => {
            waiting.delete(wake);
            resolve();
          };
          waiting.add(wake);
        });
      }
      return view;
    },
  };
}

/** The view says that the Work is idle, for this reason. */
export const isIdleWith =
  (code: string) =>
  (view: WorkStory): boolean => {
    const { phase, reason } = activeStory(view);
    return phase !== 'Running' && reason?.code === code;
  };

export const isCompleted = (view: WorkStory): boolean => activeStory(view).phase === 'Completed';

/** The view of a page that was just loaded. */
export async function reloaded(client: ApiClient, workId: string): Promise<WorkStory> {
  return toWorkStory(await client.works.show({ workId }));
}

/** As JSON, without undefined values. */
export function timelineOf(view: WorkStory): unknown {
  return JSON.parse(JSON.stringify(toWorkItems(view)));
}
