/** Forks of a run: what a person sees before one, and what the person decides. */
import { forkAtSchema } from '../fork-points.ts';
import { forkOriginSchema } from '../run.ts';
import { countSchema, nonEmptySchema, positiveCountSchema } from '../scalars.ts';
import { questionSchema } from '../tools.ts';
import * as z from '../zod.ts';
import { textSchema } from './run-options.ts';

const pointShape = {
  at: forkAtSchema,
  /** The fork waits for another answer to a question of the visit: that of this call. */
  question: z.optional(nonEmptySchema),
};

export const forkPointSchema = z.strictObject({ at: forkAtSchema });

export const forkPlanSchema = z.strictObject({
  workId: z.string(),
  nodeId: z.string(),
  /** Of the node, as the run knew it then. */
  title: z.string(),
  visit: positiveCountSchema,
  questions: z.array(
    z.strictObject({ seq: countSchema, callId: z.string(), questions: z.array(questionSchema) }),
  ),
  variables: z.record(z.string(), z.unknown()),
  /** What is different in the project now. */
  changes: z.array(
    z.strictObject({
      path: z.string(),
      kind: z.enum(['created', 'changed', 'deleted']),
      /** Somebody else changed it since the run did. */
      isEdited: z.boolean(),
    }),
  ),
  /** Files whose content of then was not kept. */
  lost: z.array(z.string()),
  /** A folder beside the project that does not exist. */
  folder: z.string(),
  isRepository: z.boolean(),
});
export type ShownForkPlan = z.infer<typeof forkPlanSchema>;

const folderSchema = nonEmptySchema.check(z.maxLength(4_096));

export const forkSchema = z.strictObject({
  ...pointShape,
  target: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('copy'), folder: folderSchema }),
    z.strictObject({ kind: z.literal('worktree'), folder: folderSchema }),
    /** `seen`: the changed files of the plan that was shown. */
    z.strictObject({ kind: z.literal('same'), seen: z.array(z.string()) }),
  ]),
  model: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
  variables: z.optional(z.record(z.string(), textSchema)),
  keepsLost: z.optional(z.boolean()),
});

export const forkedSchema = z.strictObject({
  workId: z.string(),
  projectId: z.string(),
  folder: z.string(),
  nodeId: z.string(),
  visit: positiveCountSchema,
  changed: z.array(z.string()),
  lost: z.array(z.string()),
});

export const forkListSchema = z.strictObject({
  /** Where the run itself comes from. */
  origin: z.optional(forkOriginSchema),
  forks: z.array(
    z.strictObject({
      workId: z.string(),
      projectId: z.string(),
      nodeId: z.string(),
      visit: positiveCountSchema,
      createdAt: z.string(),
    }),
  ),
});

/** Ids of runs, separated by commas. */
const worksSchema = z.string().check(z.maxLength(400));

export const compareQuerySchema = z.strictObject({ works: worksSchema });
export const compareFileQuerySchema = z.strictObject({
  works: worksSchema,
  path: z.string().check(z.maxLength(4_096)),
});
