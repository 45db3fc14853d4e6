/**
 * Options for starting a run or a conversation.
 */
import { runLimitsSchema } from '../settings.ts';
import * as z from '../zod.ts';
import { filePathSchema } from './files.ts';

/** Name of a model in the settings, or `rehearsal`; default: the default model. */
export const modelSchema = z.string().min(1).max(200).optional();

export const textSchema = z.string().min(1).max(200_000);

/** Project files for a workflow; access is checked where files are opened. */
export const documentsSchema = z.array(filePathSchema).max(100).optional();

export const limitsSchema = z.strictObject({
  maxTurns: runLimitsSchema.shape.maxTurns.unwrap().optional(),
  maxTokens: runLimitsSchema.shape.maxTokens,
  maxCostUsd: runLimitsSchema.shape.maxCostUsd,
  maxMinutes: runLimitsSchema.shape.maxMinutes,
});
