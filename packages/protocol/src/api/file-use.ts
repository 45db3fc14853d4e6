/** What follows from the files that a run read and wrote: stale results, undeclared files, and what a resume would do. */
import { countSchema, positiveCountSchema } from '../scalars.ts';
import { staleVisitSchema } from '../stale.ts';
import * as z from '../zod.ts';
import { contextLayerSchema } from './shown-context.ts';

export const shownStaleSchema = z.strictObject({
  /** In the order of the run; empty if everything is up to date. */
  steps: z.array(staleVisitSchema),
});
export type ShownStale = z.infer<typeof shownStaleSchema>;

const changedFileSchema = z.strictObject({
  path: z.string(),
  kind: z.enum(['changed', 'removed']),
  /** What the run did with it last. */
  by: z.enum(['read', 'write']),
});

export const resumePreviewSchema = z.strictObject({
  /** The innermost run that goes on: the run itself, or one that it called. */
  runId: z.string(),
  /** Missing if the run is complete. */
  nodeId: z.optional(z.string()),
  title: z.optional(z.string()),
  /** Another process has the run open: it goes on there. */
  isOpen: z.boolean(),
  /** Calls that were started and never ended. They are not repeated; the model is told. */
  unknownCalls: z.array(
    z.strictObject({
      callId: z.string(),
      name: z.string(),
      path: z.optional(z.string()),
      /** It changes nothing, whatever became of it. */
      isRead: z.optional(z.literal(true)),
    }),
  ),
  /** What a person is asked: it comes before any request. */
  pending: z.optional(z.strictObject({ kind: z.enum(['question', 'approval']), texts: z.array(z.string()) })),
  /** The next request, as far as it is known now. */
  request: z.strictObject({
    tokens: countSchema,
    contextTokens: positiveCountSchema,
    parts: z.array(
      z.strictObject({ layer: contextLayerSchema, count: positiveCountSchema, tokens: countSchema }),
    ),
  }),
  /** Files that differ from what the run last read or wrote. */
  changed: z.array(changedFileSchema),
});
export type ResumePreview = z.infer<typeof resumePreviewSchema>;

/** A file that a step used and did not declare. */
export const undeclaredFileSchema = z.strictObject({
  /** The workflow of the package. */
  workflowRef: z.string(),
  nodeId: z.string(),
  access: z.enum(['read', 'write']),
  /** Full mount path. */
  path: z.string(),
});
export type UndeclaredFile = z.infer<typeof undeclaredFileSchema>;
