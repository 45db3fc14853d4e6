/**
 * What was begun in a project, as one list: conversations, and runs that belong to none. The one something happened in last
 * comes first. Pure.
 */
import type { WorkList } from '@crewagent/protocol/api/work-messages';
import { type Conversation, type Run, shownPhase } from '../../state/work-list.ts';
import type { ShownPhase } from '../../ui/phase-pill.tsx';

export type WorkKind = Conversation['kind'] | 'run';

export interface Work {
  /** Of the conversation or the run. */
  readonly id: string;
  readonly kind: WorkKind;
  readonly title: string;
  readonly phase: ShownPhase;
  readonly updatedAt: string;
  readonly isArchived: boolean;
  /** Missing for a run. */
  readonly conversation?: Conversation;
}

export function toWorks(
  list: Pick<WorkList, 'conversations' | 'runs'>,
  projectId: string,
  titleOf: (conversation: Conversation) => string,
): readonly Work[] {
  const conversations = list.conversations
    .filter((conversation) => conversation.projectId === projectId)
    .map((conversation) => toWork(conversation, titleOf(conversation)));
  const runs = list.runs.filter((run) => run.projectId === projectId && isAlone(run)).map(ofRun);
  return [...conversations, ...runs].sort((one, other) => other.updatedAt.localeCompare(one.updatedAt));
}

/** Every word that was typed occurs in what one sees of it. */
export function findWorks(
  works: readonly Work[],
  text: string,
  kindName: (kind: WorkKind) => string,
): readonly Work[] {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return works.filter(({ title, kind }) => {
    const seen = `${title} ${kindName(kind)}`.toLocaleLowerCase();
    return words.every((word) => seen.includes(word));
  });
}

/** A run of another run, or of a conversation, is found there. */
function isAlone({ conversationId, parentRunId }: Run): boolean {
  return conversationId === undefined && parentRunId === undefined;
}

function toWork(conversation: Conversation, title: string): Work {
  const { conversationId: id, kind, updatedAt, archivedAt } = conversation;
  const phase = shownPhase(conversation);
  return { id, kind, title, phase, updatedAt, isArchived: archivedAt !== undefined, conversation };
}

function ofRun(run: Run): Work {
  const { runId: id, updatedAt } = run;
  const { title } = run.workflow;
  return { id, kind: 'run', title, phase: shownPhase(run), updatedAt, isArchived: false };
}
