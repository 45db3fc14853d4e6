/** Moving a run to another version of its package: what a person sees before it, and what the person decides. */
import { workflowChangesSchema } from '../package-changes.ts';
import * as z from '../zod.ts';
import { packageHashSchema } from './ids.ts';

const shownUpgradeSchema = z.strictObject({
  /** Version of the run's package now. */
  from: z.string(),
  to: z.strictObject({ version: z.string(), hash: packageHashSchema }),
  changes: workflowChangesSchema,
  /** Where the run is. */
  nodeId: z.string(),
  /** Where it continues; absent if the new version does not have that step. */
  target: z.optional(z.string()),
  /** The last completed step that the new version has, else its first one. */
  nearest: z.string(),
  /** Steps of the new version. */
  nodes: z.array(z.strictObject({ id: z.string(), title: z.string() })),
  /** Files of the project that steps wrote which changed or are gone. */
  stale: z.array(z.string()),
});
export type ShownUpgrade = z.infer<typeof shownUpgradeSchema>;

/** Without a plan there is no newer version. */
export const upgradePlanSchema = z.strictObject({ plan: z.optional(shownUpgradeSchema) });

export const upgradeSchema = z.strictObject({
  /** The package of the plan that was shown. */
  to: packageHashSchema,
  /** The step to continue at; default: the one of the plan. */
  nodeId: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
});
