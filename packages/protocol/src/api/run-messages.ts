/**
 * What the event streams of the API carry. A stream of a run begins with a snapshot, or with what was missed; a reader that
 * is too slow gets another snapshot instead of what it did not take.
 */
import { type RunEvent, runEventSchema } from '../events.ts';
import { runModelSchema } from '../model.ts';
import { phaseReasonSchema, runPhaseSchema } from '../run.ts';
import { addToRunView, createRunView, type RunView } from '../run-view.ts';
import * as z from '../zod.ts';

/** As far as a look at its outline tells; its own code is what makes and reads it. */
export const runViewSchema = z
  .custom<RunView>((value) => viewOutline.safeParse(value).success, 'the view of a run')
  .meta({ type: 'object', description: 'What a person sees of a run, folded from its events.' });

const viewOutline = z.looseObject({
  runId: z.string(),
  phase: runPhaseSchema,
  lastSeq: z.int(),
  timeline: z.array(z.looseObject({ kind: z.string() })),
});

/** A run in a list. */
export const runSummarySchema = z.strictObject({
  runId: z.string(),
  projectId: z.string(),
  parentRunId: z.string().optional(),
  /** The conversation it belongs to. */
  conversationId: z.string().optional(),
  package: z.strictObject({ name: z.string(), version: z.string(), hash: z.string() }),
  workflow: z.strictObject({ ref: z.string(), title: z.string() }),
  activeAgentId: z.string(),
  model: runModelSchema,
  phase: runPhaseSchema,
  reason: phaseReasonSchema.optional(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type RunSummary = z.infer<typeof runSummarySchema>;

/** A run whose record cannot be read. */
export const damagedRunSchema = z.strictObject({
  runId: z.string(),
  projectId: z.string(),
  problem: z.string(),
});

export const runListSchema = z.strictObject({
  /** The newest first. */
  runs: z.array(runSummarySchema),
  damaged: z.array(damagedRunSchema),
});
export type RunList = z.infer<typeof runListSchema>;

export const streamingSchema = z.strictObject({ text: z.string(), reasoning: z.string() });

const runSnapshotSchema = z.strictObject({ view: runViewSchema, seq: z.int() });
export type RunSnapshot = z.infer<typeof runSnapshotSchema>;

export const runMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('snapshot'), data: runSnapshotSchema }),
  z.strictObject({ type: z.literal('event'), data: runEventSchema }),
  /** All that was said so far of the reply that is under way; replaces what the reader has of it. */
  z.strictObject({ type: z.literal('streaming'), data: streamingSchema }),
]);
export type RunMessage = z.infer<typeof runMessageSchema>;

/** The view after a message; the one given is brought up to date, unless a snapshot takes its place. */
export function addRunMessage(view: RunView | undefined, message: RunMessage): RunView {
  switch (message.type) {
    case 'snapshot': {
      const { view: taken } = message.data;
      // JSON leaves out what is undefined; the message stays as it is.
      return { ...createRunView(taken.runId), ...taken, timeline: [...taken.timeline] };
    }
    case 'event':
      return withEvent(view ?? createRunView(message.data.runId), message.data);
    case 'streaming':
      if (view) view.streaming = message.data;
      return view ?? createRunView('');
  }
}

function withEvent(view: RunView, event: RunEvent): RunView {
  addToRunView(view, event);
  return view;
}
