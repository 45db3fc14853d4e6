/**
 * What tests of conversations share: a package with an agent to talk to, and a client's view of a conversation, folded from
 * its own stream and those of its runs.
 */
import { join } from 'node:path';
import type { ApiClient } from '@crewagent/protocol/api/client';
import {
  addConversationMessage,
  type ConversationMessage,
  toConversationView,
} from '@crewagent/protocol/api/conversation-messages';
import { addRunMessage, type RunMessage } from '@crewagent/protocol/api/run-messages';
import {
  activeView,
  type ConversationView,
  createConversationView,
  toConversationTimeline,
} from '@crewagent/protocol/conversation-view';
import { onTestFinished } from 'vitest';
import { writeTree } from '../../../core/src/testing/file-tree.ts';
import { talkingPackage } from '../../../core/src/testing/talking-package.ts';
import { prepare, type ReadyToRun, type ServerRig } from './server-rig.ts';

export async function prepareTalking(
  rig: Pick<ServerRig, 'client' | 'project' | 'root'>,
): Promise<ReadyToRun> {
  await writeTree(join(rig.root, 'package'), talkingPackage());
  return prepare(rig, join(rig.root, 'package'));
}

export interface Watcher {
  readonly view: ConversationView;
  readonly messages: (ConversationMessage | RunMessage)[];
  /** The view where it first fits. */
  until(fits: (view: ConversationView) => boolean): Promise<ConversationView>;
  stop(): void;
}

/** Follows a conversation as the page does: its stream, and that of each run it was ever in. */
export function watchConversation(client: ApiClient, conversationId: string): Watcher {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const { signal } = controller;
  const messages: Watcher['messages'] = [];
  const waiting = new Set<() => void>();
  const runs = new Set<string>();
  const failures: unknown[] = [];
  let view = createConversationView(conversationId);

  const tell = (message: ConversationMessage | RunMessage): void => {
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
      for await (const message of client.runs.events({ runId }, { signal })) {
        view.runs.set(runId, addRunMessage(view.runs.get(runId), message));
        tell(message);
      }
    } catch (error) {
      fail(error);
    }
  };
  const follow = async (): Promise<void> => {
    try {
      for await (const message of client.conversations.events({ conversationId }, { signal })) {
        view = addConversationMessage(view, message);
        tell(message);
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
    async until(fits) {
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

/** It was said that it rests, for this reason. */
export const restsWith =
  (code: string) =>
  (view: ConversationView): boolean => {
    const { phase, reason } = activeView(view);
    return phase !== 'Running' && reason?.code === code;
  };

export const isCompleted = (view: ConversationView): boolean => activeView(view).phase === 'Completed';

/** What a page shows that is loaded now. */
export async function reloaded(client: ApiClient, conversationId: string): Promise<ConversationView> {
  return toConversationView(await client.conversations.show({ conversationId }));
}

/** As JSON: what is undefined is not there. */
export function timelineOf(view: ConversationView): unknown {
  return JSON.parse(JSON.stringify(toConversationTimeline(view)));
}
