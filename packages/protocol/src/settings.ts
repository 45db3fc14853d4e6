/**
 * `settings.json`: what a person decided for all their runs. No secret is ever in it.
 */

import { limitSchema } from './format.ts';
import { modelSettingsSchema } from './model.ts';
import { toolSettingsSchema } from './tools.ts';
import * as z from './zod.ts';

/** Limits pause a run; they never fail it. */
export const runLimitsSchema = z.strictObject({
  /** Turns since the last user input or change of node. */
  maxTurns: limitSchema.default(50),
  maxTokens: limitSchema.optional(),
  maxCostUsd: z.number().positive().optional(),
  maxMinutes: z.number().positive().optional(),
});
export type RunLimits = z.infer<typeof runLimitsSchema>;

/** How much of a run a model is shown: the messages of the current node, or all of them. */
export const contextScopeSchema = z.enum(['node', 'run']);
export type ContextScope = z.infer<typeof contextScopeSchema>;

export const settingsSchema = z.strictObject({
  schemaVersion: z.literal(1).default(1),
  models: z.record(z.string().regex(/^[A-Za-z0-9][\w.:-]{0,63}$/), modelSettingsSchema).default({}),
  /** A key of `models`, or `rehearsal`. */
  defaultModel: z.string().optional(),
  tools: toolSettingsSchema.prefault({}),
  context: z.strictObject({ scope: contextScopeSchema.default('node') }).prefault({}),
  limits: runLimitsSchema.prefault({}),
});
export type Settings = z.infer<typeof settingsSchema>;
