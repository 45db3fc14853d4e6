/**
 * Options for starting a run or a conversation.
 */
import { limitSchema } from '../format.ts';
import { runLimitsSchema } from '../settings.ts';
import * as z from '../zod.ts';
import { filePathSchema } from './files.ts';

/** Name of a model in the settings, or `rehearsal`; default: the default model. */
export const modelSchema = z.string().check(z.minLength(1), z.maxLength(200));

export const textSchema = z.string().check(z.minLength(1), z.maxLength(200_000));

/** Project files for a workflow; access is checked where files are opened. */
export const documentsSchema = z.optional(z.array(filePathSchema).check(z.maxLength(100)));

/** Of workers of a team; one that executes a Work must have all that it asks for. */
export const labelsSchema = z
  .array(z.string().check(z.regex(/^[\w.-]{1,40}$/, 'letters, digits, dots and dashes')))
  .check(z.maxLength(8));

export const limitsSchema = z.strictObject({
  maxTurns: z.optional(limitSchema),
  maxTokens: runLimitsSchema.shape.maxTokens,
  maxCostUsd: runLimitsSchema.shape.maxCostUsd,
  maxMinutes: runLimitsSchema.shape.maxMinutes,
});
