/** What waits for a person, of all projects: conversations, and runs that belong to none. The latest first. Pure. */
import type { WorkList } from '@crewagent/protocol/api/work-messages';
import { type Conversation, isWaiting, type Run } from '../state/work-list.ts';

export type WaitingWork =
  | { readonly kind: 'conversation'; readonly conversation: Conversation; readonly run: Run | undefined }
  | { readonly kind: 'run'; readonly run: Run };

export function toWaitingWork({ conversations, runs }: WorkList): readonly WaitingWork[] {
  const waiting: readonly WaitingWork[] = [
    ...conversations
      .filter((conversation) => conversation.archivedAt === undefined && isWaiting(conversation))
      .map((conversation) => ({
        kind: 'conversation' as const,
        conversation,
        run: runs.find(({ runId }) => runId === conversation.activeRunId),
      })),
    ...runs
      .filter((run) => run.conversationId === undefined && run.parentRunId === undefined && isWaiting(run))
      .map((run) => ({ kind: 'run' as const, run })),
  ];
  return waiting.toSorted((one, other) => updatedAt(other).localeCompare(updatedAt(one)));
}

export function idOf(work: WaitingWork): string {
  return work.kind === 'run' ? work.run.runId : work.conversation.conversationId;
}

export function factsOf(work: WaitingWork): Run | Conversation {
  return work.kind === 'run' ? work.run : work.conversation;
}

function updatedAt(work: WaitingWork): string {
  return factsOf(work).updatedAt;
}
