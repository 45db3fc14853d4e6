/**
 * Works as lists show them, and what their event streams carry. The stream of a Work is its own log: it begins with a
 * snapshot, or with what was missed, and a reader that is too slow gets another snapshot instead of what it did not take.
 * The runs that a conversation is in have streams of their own; put together they are what a reload shows.
 */
import { conversationKindSchema, enteredAgentSchema } from '../conversation.ts';
import { type ConversationState, EMPTY_CONVERSATION_STATE } from '../conversation-state.ts';
import { runEventSchema } from '../events.ts';
import { runModelSchema } from '../model.ts';
import { phaseReasonSchema, runPhaseSchema } from '../run.ts';
import { createRunView, type RunView } from '../run-view.ts';
import { addToWorkView, createWorkView, type WorkView } from '../work-view.ts';
import * as z from '../zod.ts';

/** As far as a look at its outline tells; its own code is what makes and reads it. */
export const runViewSchema = z
  .custom<RunView>((value) => viewOutline.safeParse(value).success, 'the view of a log')
  .meta({ type: 'object', description: 'What a person sees of one log, folded from its events.' });

const viewOutline = z.looseObject({
  runId: z.string(),
  phase: runPhaseSchema,
  lastSeq: z.int(),
  timeline: z.array(z.looseObject({ kind: z.string() })),
});

/** As far as a look at its outline tells; its own code is what makes and reads it. */
export const conversationStateSchema = z
  .custom<ConversationState>((value) => stateOutline.safeParse(value).success, 'the state of a conversation')
  .meta({ type: 'object', description: 'Whom a person talks to, folded from the log.' });

const stateOutline = z.looseObject({ kind: conversationKindSchema, runIds: z.array(z.string()) });

/** A conversation or a run in a list. */
export const workSummarySchema = z.strictObject({
  workId: z.string(),
  projectId: z.string(),
  /** The conversation a run belongs to. */
  parentId: z.string().optional(),
  kind: conversationKindSchema,
  /** Empty while nothing was said; of a run the title of its workflow. */
  title: z.string(),
  agent: enteredAgentSchema.optional(),
  /** Runs only: what it follows, and who drives it. */
  run: z
    .strictObject({
      package: z.strictObject({ name: z.string(), version: z.string(), hash: z.string() }),
      workflow: z.strictObject({ ref: z.string(), title: z.string() }),
      activeAgentId: z.string(),
      model: runModelSchema,
    })
    .optional(),
  /** The run that a conversation is in: what is said goes to it. */
  activeRunId: z.string().optional(),
  /** Of the run one is in, else its own. */
  phase: runPhaseSchema,
  reason: phaseReasonSchema.optional(),
  createdAt: z.string(),
  updatedAt: z.string(),
  archivedAt: z.string().optional(),
});
export type WorkSummary = z.infer<typeof workSummarySchema>;

/** Archived conversations are among them, marked as such. */
export const workListSchema = z.strictObject({
  /** The one that changed last first. */
  works: z.array(workSummarySchema),
  /** Those whose record cannot be read. */
  damaged: z.array(
    z.strictObject({
      workId: z.string(),
      projectId: z.string(),
      isRun: z.boolean(),
      problem: z.string(),
    }),
  ),
});
export type WorkList = z.infer<typeof workListSchema>;

export const listMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('snapshot'), data: workListSchema }),
  z.strictObject({ type: z.literal('work'), data: workSummarySchema }),
  z.strictObject({ type: z.literal('work.removed'), data: z.strictObject({ workId: z.string() }) }),
]);
export type ListMessage = z.infer<typeof listMessageSchema>;

const workSnapshotSchema = z.strictObject({
  /** Of its own log. */
  view: runViewSchema,
  state: conversationStateSchema,
  seq: z.int(),
});
export type WorkSnapshot = z.infer<typeof workSnapshotSchema>;

export const workMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('snapshot'), data: workSnapshotSchema }),
  z.strictObject({ type: z.literal('event'), data: runEventSchema }),
  /** All that was said so far of the reply that is under way; replaces what the reader has of it. */
  z.strictObject({
    type: z.literal('streaming'),
    data: z.strictObject({ text: z.string(), reasoning: z.string() }),
  }),
]);
export type WorkMessage = z.infer<typeof workMessageSchema>;

/** What is shown of a Work, as it comes over the wire. */
export interface ShownWork {
  readonly state: ConversationState;
  readonly view: RunView;
  readonly runs: Readonly<Record<string, RunView>>;
}

export function toWorkView({ state, view, runs }: ShownWork): WorkView {
  return {
    workId: view.runId,
    // JSON leaves out what is undefined.
    state: { ...EMPTY_CONVERSATION_STATE, ...state },
    own: toRunView(view),
    runs: new Map(Object.entries(runs).map(([runId, run]) => [runId, toRunView(run)])),
  };
}

/** JSON leaves out what is undefined; what came over the wire stays as it is. */
export function toRunView(view: RunView): RunView {
  return { ...createRunView(view.runId), ...view, timeline: [...view.timeline] };
}

/**
 * The view after a message of the Work's own stream; the one given is brought up to date, unless a snapshot takes its place,
 * with its runs.
 */
export function addWorkMessage(known: WorkView | undefined, message: WorkMessage): WorkView {
  switch (message.type) {
    case 'snapshot': {
      const { state, view } = message.data;
      return { ...toWorkView({ state, view, runs: {} }), runs: known?.runs ?? new Map<string, RunView>() };
    }
    case 'event': {
      const view = known ?? createWorkView(message.data.runId);
      addToWorkView(view, message.data);
      return view;
    }
    case 'streaming':
      if (known) known.own.streaming = message.data;
      return known ?? createWorkView('');
  }
}
