/** Everything a person has under way: conversations and runs of all projects, as the server tells of them. Pure. */
import type { WorkList, WorkMessage } from '@crewagent/protocol/api/work-messages';

export type Conversation = WorkList['conversations'][number];
export type Run = WorkList['runs'][number];

export function addWorkMessage(list: WorkList | undefined, message: WorkMessage): WorkList {
  if (message.type === 'snapshot') return message.data;
  const known = list ?? { runs: [], damaged: [], conversations: [], damagedConversations: [] };
  switch (message.type) {
    case 'run':
      return { ...known, runs: [message.data, ...without(known.runs, message.data.runId)] };
    case 'run.removed':
      return { ...known, runs: without(known.runs, message.data.runId) };
    case 'conversation': {
      const { conversationId } = message.data;
      const others = known.conversations.filter((other) => other.conversationId !== conversationId);
      return { ...known, conversations: [message.data, ...others].sort(byLastSaid) };
    }
    case 'conversation.removed': {
      const { conversationId } = message.data;
      return {
        ...known,
        conversations: known.conversations.filter((other) => other.conversationId !== conversationId),
      };
    }
  }
}

function without(runs: readonly Run[], runId: string): Run[] {
  return runs.filter((run) => run.runId !== runId);
}

function byLastSaid(one: Conversation, other: Conversation): number {
  return other.updatedAt.localeCompare(one.updatedAt);
}

/** A person can go on with it, and nobody else will: it asks, failed, or was cut off. A reply waits for nobody. */
export function isWaiting({ phase, reason }: Pick<Conversation, 'phase' | 'reason'>): boolean {
  if (phase === 'Failed') return true;
  return phase === 'WaitingUser' && reason !== undefined && !QUIET.has(reason.code);
}

const QUIET: ReadonlySet<string> = new Set(['reply', 'stopped', 'rewound']);

/** Nothing is asked for: the next word is the person's, whenever they like. */
export function isReady({ phase, reason }: Pick<Conversation, 'phase' | 'reason'>): boolean {
  return phase === 'WaitingUser' && (reason === undefined || reason.code === 'reply');
}

/** It can go on without a word. */
export function canResume({ phase, reason }: Pick<Conversation, 'phase' | 'reason'>): boolean {
  if (phase === 'Failed') return true;
  return phase === 'WaitingUser' && reason !== undefined && !ASKING.has(reason.code);
}

const ASKING: ReadonlySet<string> = new Set(['reply', 'question', 'approval']);
