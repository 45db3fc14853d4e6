/**
 * Works in lists, and the messages of their event streams. The stream of a Work is its own log: it begins with a snapshot or
 * with the missed events, and a reader that is too slow gets another snapshot. The runs of a conversation have streams of their
 * own; combined, the streams produce the view that a reload shows.
 */
import { conversationKindSchema, enteredAgentSchema } from '../conversation.ts';
import { type ConversationState, EMPTY_CONVERSATION_STATE } from '../conversation-state.ts';
import { runEventSchema } from '../events.ts';
import { runModelSchema } from '../model.ts';
import { forkOriginSchema, phaseReasonSchema, runPhaseSchema } from '../run.ts';
import type { ItemPage } from '../story/pages.ts';
import { createStory, type Story } from '../story/story.ts';
import { addToWorkStory, createWorkStory, type WorkStory } from '../story/work-story.ts';
import { approvalPresetSchema } from '../tools.ts';
import * as z from '../zod.ts';

/** Only the outline is checked; our own code creates and reads the value. */
export const storySchema = z
  .custom<Story>((value) => viewOutline.safeParse(value).success, 'the view of a log')
  .check(z.meta({ type: 'object', description: 'The view of one log, folded from its events.' }));

const viewOutline = z.looseObject({
  runId: z.string(),
  phase: runPhaseSchema,
  lastSeq: z.int(),
  timeline: z.custom((items) => Array.isArray(items) && items.every(hasKind)),
});

/** Not a schema, which would copy thousands of items. */
function hasKind(item: { readonly kind?: unknown } | null): boolean {
  return typeof item?.kind === 'string';
}

/** Only the outline is checked; our own code creates and reads the value. */
export const itemPageSchema = z
  .custom<ItemPage>((value) => pageOutline.safeParse(value).success, 'items of a story')
  .check(
    z.meta({ type: 'object', description: 'Items of one log, in order, and what is left before them.' }),
  );

const pageOutline = z.looseObject({
  items: z.custom((items) => Array.isArray(items) && items.every(hasKind)),
});

/** Only the outline is checked; our own code creates and reads the value. */
export const conversationStateSchema = z
  .custom<ConversationState>((value) => stateOutline.safeParse(value).success, 'the state of a conversation')
  .check(
    z.meta({ type: 'object', description: 'The current addressee of a conversation, folded from the log.' }),
  );

const stateOutline = z.looseObject({ kind: conversationKindSchema, runIds: z.array(z.string()) });

/** A conversation or a run in a list. */
export const workSummarySchema = z.strictObject({
  workId: z.string(),
  projectId: z.string(),
  /** The conversation a run belongs to. */
  parentId: z.optional(z.string()),
  kind: conversationKindSchema,
  /** Empty before the first input; for a run, the title of its workflow. */
  title: z.string(),
  agent: z.optional(enteredAgentSchema),
  /** Runs only: package, workflow, agent and model. */
  run: z.optional(
    z.strictObject({
      package: z.strictObject({ name: z.string(), version: z.string(), hash: z.string() }),
      workflow: z.strictObject({ ref: z.string(), title: z.string() }),
      activeAgentId: z.string(),
      model: runModelSchema,
    }),
  ),
  /** The active run of a conversation, which receives input. */
  activeRunId: z.optional(z.string()),
  /** Phase of the active run, else its own. */
  phase: runPhaseSchema,
  reason: z.optional(phaseReasonSchema),
  createdAt: z.string(),
  updatedAt: z.string(),
  archivedAt: z.optional(z.string()),
  forkedFrom: z.optional(forkOriginSchema),
  /** What it may do without asking. */
  approval: z.optional(approvalPresetSchema),
});
export type WorkSummary = z.infer<typeof workSummarySchema>;

/** Of all Works, or of those of one project, whatever page is shown. */
const workCountsSchema = z.strictObject({
  /** Conversations, and runs without one. */
  total: z.int(),
  /** Entries of the inbox. */
  waiting: z.int(),
  /** Archived conversations, by project. */
  archived: z.record(z.string(), z.int()),
  /** Works that ask the user something, by project. */
  asking: z.record(z.string(), z.int()),
});
export type WorkCounts = z.infer<typeof workCountsSchema>;

/** One page. Includes archived conversations if they were asked for, marked as such. */
export const workListSchema = z.strictObject({
  /** Most recently changed first. */
  works: z.array(workSummarySchema),
  /** Active and left runs of the conversations on this page, and the conversation of a run. */
  related: z.optional(z.array(workSummarySchema)),
  /** Works whose record cannot be read; on the first page. */
  damaged: z.array(
    z.strictObject({
      workId: z.string(),
      projectId: z.string(),
      isRun: z.boolean(),
      problem: z.string(),
    }),
  ),
  counts: z.optional(workCountsSchema),
  /** `after` of the next page; undefined on the last one. */
  next: z.optional(z.string()),
});
export type WorkList = z.infer<typeof workListSchema>;

export const workStatusSchema = z.strictObject({
  workId: z.string(),
  /** The addressee of the next input. */
  mode: z.enum(['agent', 'run', 'chat']),
  phase: runPhaseSchema,
  reason: z.optional(phaseReasonSchema),
  /** Why the input was rejected: it changed nothing, and can be sent again. */
  refusal: z.optional(z.strictObject({ code: z.string(), message: z.string() })),
});
export type WorkStatus = z.infer<typeof workStatusSchema>;

/** A snapshot is the first page; changes of Works on other pages are reported as well. */
export const listMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('snapshot'), data: workListSchema }),
  z.strictObject({ type: z.literal('counts'), data: workCountsSchema }),
  z.strictObject({ type: z.literal('work'), data: workSummarySchema }),
  z.strictObject({ type: z.literal('work.removed'), data: z.strictObject({ workId: z.string() }) }),
]);
export type ListMessage = z.infer<typeof listMessageSchema>;

const workSnapshotSchema = z.strictObject({
  /** The view of its own log. */
  view: storySchema,
  state: conversationStateSchema,
  seq: z.int(),
});
export type WorkSnapshot = z.infer<typeof workSnapshotSchema>;

export const workMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('snapshot'), data: workSnapshotSchema }),
  z.strictObject({ type: z.literal('event'), data: runEventSchema }),
  /** The whole text of the reply in progress; replaces what the reader has of it. */
  z.strictObject({
    type: z.literal('streaming'),
    data: z.strictObject({ text: z.string(), reasoning: z.string() }),
  }),
]);
export type WorkMessage = z.infer<typeof workMessageSchema>;

/** A Work as it arrives over the wire. */
export interface ShownWork {
  readonly state: ConversationState;
  readonly view: Story;
  readonly runs: Readonly<Record<string, Story>>;
}

export function toWorkStory({ state, view, runs }: ShownWork): WorkStory {
  return {
    workId: view.runId,
    // JSON omits undefined values.
    state: { ...EMPTY_CONVERSATION_STATE, ...state },
    own: toStory(view),
    runs: new Map(Object.entries(runs).map(([runId, run]) => [runId, toStory(run)])),
  };
}

/** Restores undefined values, which JSON omits; does not modify `view`. */
export function toStory(view: Story): Story {
  return {
    ...createStory(view.runId),
    ...view,
    timeline: [...view.timeline],
    visits: [...view.visits],
  };
}

/**
 * The view after a message of the Work's own stream; `known` is updated in place, unless a snapshot replaces it, keeping its
 * runs.
 */
export function addWorkMessage(known: WorkStory | undefined, message: WorkMessage): WorkStory {
  switch (message.type) {
    case 'snapshot': {
      const { state, view } = message.data;
      return { ...toWorkStory({ state, view, runs: {} }), runs: known?.runs ?? new Map<string, Story>() };
    }
    case 'event': {
      const view = known ?? createWorkStory(message.data.runId);
      addToWorkStory(view, message.data);
      return view;
    }
    case 'streaming':
      if (known) known.own.streaming = message.data;
      return known ?? createWorkStory('');
  }
}
