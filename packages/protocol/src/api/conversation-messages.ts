/**
 * A conversation as lists show it, and what its event stream carries: its own log, as with a run. The runs it is in have
 * streams of their own; put together they are what a reload shows.
 */
import { conversationKindSchema, enteredAgentSchema } from '../conversation.ts';
import { type ConversationState, EMPTY_CONVERSATION_STATE } from '../conversation-state.ts';
import {
  addToConversationView,
  type ConversationView,
  createConversationView,
} from '../conversation-view.ts';
import { runEventSchema } from '../events.ts';
import { phaseReasonSchema, runPhaseSchema } from '../run.ts';
import type { RunView } from '../run-view.ts';
import * as z from '../zod.ts';
import { addRunMessage, runViewSchema, streamingSchema } from './run-messages.ts';

export const conversationSummarySchema = z.strictObject({
  conversationId: z.string(),
  projectId: z.string(),
  /** Empty while nothing was said. */
  title: z.string(),
  kind: conversationKindSchema,
  agent: enteredAgentSchema.optional(),
  /** Of the run one is in, else of the talk. */
  phase: runPhaseSchema,
  reason: phaseReasonSchema.optional(),
  activeRunId: z.string().optional(),
  createdAt: z.string(),
  updatedAt: z.string(),
  archivedAt: z.string().optional(),
});
export type ConversationSummary = z.infer<typeof conversationSummarySchema>;

/** A conversation whose record cannot be read. */
export const damagedConversationSchema = z.strictObject({
  conversationId: z.string(),
  projectId: z.string(),
  problem: z.string(),
});

/** As far as a look at its outline tells; its own code is what makes and reads it. */
export const conversationStateSchema = z
  .custom<ConversationState>((value) => stateOutline.safeParse(value).success, 'the state of a conversation')
  .meta({ type: 'object', description: 'Whom a person talks to, folded from the log of the conversation.' });

const stateOutline = z.looseObject({ kind: conversationKindSchema, runIds: z.array(z.string()) });

const conversationSnapshotSchema = z.strictObject({
  /** Of the talk. */
  view: runViewSchema,
  state: conversationStateSchema,
  seq: z.int(),
});
export type ConversationSnapshot = z.infer<typeof conversationSnapshotSchema>;

export const conversationMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('snapshot'), data: conversationSnapshotSchema }),
  z.strictObject({ type: z.literal('event'), data: runEventSchema }),
  /** All that was said so far of the reply that is under way; replaces what the reader has of it. */
  z.strictObject({ type: z.literal('streaming'), data: streamingSchema }),
]);
export type ConversationMessage = z.infer<typeof conversationMessageSchema>;

/** What is shown of a conversation, as it comes over the wire. */
export interface ShownConversation {
  readonly state: ConversationState;
  readonly talk: RunView;
  readonly runs: Readonly<Record<string, RunView>>;
}

export function toConversationView({ state, talk, runs }: ShownConversation): ConversationView {
  const toView = (view: RunView): RunView =>
    addRunMessage(undefined, { type: 'snapshot', data: { view, seq: view.lastSeq } });
  return {
    conversationId: talk.runId,
    // JSON leaves out what is undefined.
    state: { ...EMPTY_CONVERSATION_STATE, ...state },
    talk: toView(talk),
    runs: new Map(Object.entries(runs).map(([runId, view]) => [runId, toView(view)])),
  };
}

/**
 * The view after a message of the conversation's own stream; the one given is brought up to date, unless a snapshot takes its
 * place, with its runs. Messages of a run go into `runs` by `addRunMessage`.
 */
export function addConversationMessage(
  view: ConversationView | undefined,
  message: ConversationMessage,
): ConversationView {
  switch (message.type) {
    case 'snapshot': {
      const { state, view: talk } = message.data;
      return {
        ...toConversationView({ state, talk, runs: {} }),
        runs: view?.runs ?? new Map<string, RunView>(),
      };
    }
    case 'event': {
      const known = view ?? createConversationView(message.data.runId);
      addToConversationView(known, message.data);
      return known;
    }
    case 'streaming':
      if (view) view.talk.streaming = message.data;
      return view ?? createConversationView('');
  }
}
