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

/** What a rerun of what is out of date would do. */
export const rerunPlanSchema = z.strictObject({
  /** Names exactly this plan; empty if nothing is out of date. */
  id: z.string(),
  /** The root of the calls. */
  runId: z.string(),
  /** The step with which the rerun begins; missing if everything is up to date. */
  first: z.optional(z.strictObject({ nodeId: z.string(), visit: positiveCountSchema })),
  /** From the first one on, in the order of the run. */
  steps: z.array(
    z.strictObject({
      /** Node ids from the root down. */
      nodes: z.array(z.string()),
      visit: positiveCountSchema,
      /** `maybe`: only if what it reads is different then. `carried`: keeps its results. */
      does: z.enum(['again', 'maybe', 'carried']),
      reasons: z.array(
        z.discriminatedUnion('kind', [
          z.strictObject({ kind: z.enum(['changed', 'removed']), path: z.string() }),
          z.strictObject({ kind: z.literal('depends'), path: z.string(), from: z.array(z.string()) }),
          z.strictObject({ kind: z.literal('step'), version: z.string() }),
        ]),
      ),
      /** Full mount paths. */
      results: z.array(z.string()),
    }),
  ),
  /** The version of the package that the rerun uses, if that is a newer one. */
  version: z.optional(z.string()),
});
export type RerunPlan = z.infer<typeof rerunPlanSchema>;

export const rerunSchema = z.strictObject({
  /** `id` of the plan that was shown. */
  seen: z.string().check(z.maxLength(100)),
});

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

export const undeclaredListSchema = z.strictObject({
  files: z.array(undeclaredFileSchema),
  /** The folder that the package was installed from, if it is still there. */
  folder: z.optional(z.string()),
});

export const declaredSchema = z.strictObject({
  folder: z.string(),
  added: z.array(undeclaredFileSchema),
  /** The folder does not have their step. */
  left: z.array(undeclaredFileSchema),
});
