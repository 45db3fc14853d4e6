/** Everything a person has under way: conversations and runs of all projects, as the server tells of them. Pure. */

import type { WorkList, WorkMessage } from '@crewagent/protocol/api/work-messages';
import { type StatusKind, toStatus } from '@crewagent/protocol/status';
import type { ShownPhase } from '../ui/phase-pill.tsx';

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

/** Where something is, as far as lists and screens know it. */
export interface Place extends Pick<Conversation, 'phase' | 'reason'> {
  /** Of a conversation: the run one is in. */
  readonly activeRunId?: string | undefined;
  /** Of a run. */
  readonly workflow?: Run['workflow'] | undefined;
}

/** A person can go on with it, and nobody else will: it asks, failed, was cut off, or is half-way. A reply in a talk waits for nobody. */
export function isWaiting(place: Place): boolean {
  const { kind } = toStatus(place);
  if (kind === 'running' || kind === 'completed') return false;
  return isHalfWay(place) || !QUIET.has(kind);
}

const QUIET: ReadonlySet<StatusKind> = new Set(['reply', 'stopped', 'rewound']);

/** Of what waits for a person, the word that says how. */
export function shownPhase(place: Place): ShownPhase {
  const { kind } = toStatus(place);
  if (kind === 'interrupted') return 'CutOff';
  if (kind === 'stopped') return 'Stopped';
  // Nothing is asked for: the next word is the person's, whenever they like.
  return kind === 'reply' && !isHalfWay(place) ? 'Ready' : place.phase;
}

/** A workflow that rests is not at its end. */
function isHalfWay({ activeRunId, workflow }: Place): boolean {
  return activeRunId !== undefined || workflow !== undefined;
}
