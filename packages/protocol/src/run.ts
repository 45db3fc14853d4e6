/**
 * The record of a run: what it is pinned to, how it is driven, and its phase. The record is for finding and opening runs; its
 * history is in its event log.
 */

import { runModelSchema } from './model.ts';
import { nodeChangesSchema } from './package-changes.ts';
import type { ReasonCode } from './reason-codes.ts';
import { nonEmptySchema, positiveCountSchema, sha256Schema } from './scalars.ts';
import { contextScopeSchema, prefetchBytesSchema, runLimitsSchema } from './settings.ts';
import { systemToolPolicySchema } from './tools.ts';
import * as z from './zod.ts';

export const runPhaseSchema = z.enum(['Running', 'WaitingUser', 'Completed', 'Failed']);
export type RunPhase = z.infer<typeof runPhaseSchema>;

/**
 * The reason for a phase. The message is for logs; a screen may translate code and details. A log of another version may
 * contain other codes: they are read unchanged, and `toStatus`, the only function that compares codes, reports them as a
 * problem.
 */
export const phaseReasonSchema = z.strictObject({
  code: nonEmptySchema as z.ZodMiniType<unknown> as z.ZodMiniType<ReasonCode>,
  message: z.string(),
  details: z.optional(z.record(z.string(), z.unknown())),
});
export type PhaseReason = z.infer<typeof phaseReasonSchema>;

/** The fields of every Work's record. */
export const workRecordShape = {
  schemaVersion: z.literal(1),
  workId: z.uuid(),
  projectId: z.uuid(),
  model: runModelSchema,
  tools: systemToolPolicySchema,
  limits: runLimitsSchema,
  /** Of the run, or of the conversation's own thread. */
  phase: runPhaseSchema,
  reason: z.optional(phaseReasonSchema),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
};

/** What is left to do after a move to another version of the package. */
const runUpgradeSchema = z.strictObject({
  from: z.strictObject({ version: z.string(), hash: sha256Schema }),
  changes: nodeChangesSchema,
  stale: z.array(z.string()),
  /** The node that starts again; the run continues in its node if there is none. */
  restartAt: z.optional(z.string()),
  /** Variables that the new version has and the run had not. */
  variables: z.record(z.string(), z.unknown()),
});
export type RunUpgrade = z.infer<typeof runUpgradeSchema>;

/** The point in the log of another run that a fork goes on from. */
export const forkOriginSchema = z.strictObject({
  workId: z.uuid(),
  /** Number of the last event that both logs have. */
  seq: positiveCountSchema,
  nodeId: z.string(),
  visit: positiveCountSchema,
});
export type ForkOrigin = z.infer<typeof forkOriginSchema>;

export const runRecordSchema = z.strictObject({
  ...workRecordShape,
  /** The conversation the run belongs to, or the run that called it; it is deleted with its parent. */
  parentId: z.optional(z.uuid()),
  /** Of a sub-workflow's run: where it was called. It is driven through the run at the root of the calls. */
  call: z.optional(z.strictObject({ rootId: z.uuid(), nodeId: z.string(), depth: positiveCountSchema })),
  kind: z.literal('workflow'),
  packageHash: sha256Schema,
  packageName: z.string(),
  packageVersion: z.string(),
  workflowRef: z.string(),
  workflowTitle: z.string(),
  activeAgentId: z.string(),
  /** The run goes on from a point in the log of another one. */
  forkedFrom: z.optional(forkOriginSchema),
  /** Makes again what is out of date in that run, and takes over its other visits. */
  rerunOf: z.optional(z.uuid()),
  /** The run was moved to this version and whoever opens it next completes that. */
  upgrade: z.optional(runUpgradeSchema),
  /** Records of earlier versions do not have `prefetchBytes`. */
  context: z.strictObject({ scope: contextScopeSchema, prefetchBytes: z.optional(prefetchBytesSchema) }),
});
export type RunRecord = z.infer<typeof runRecordSchema>;
