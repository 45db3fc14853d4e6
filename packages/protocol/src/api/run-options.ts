/**
 * What a person may say when they begin a run or a conversation.
 */
import { runLimitsSchema } from '../settings.ts';
import * as z from '../zod.ts';

/** A model in the settings by its name, or `rehearsal`; the default one if left out. */
export const modelSchema = z.string().min(1).max(200).optional();

export const textSchema = z.string().min(1).max(200_000);

export const limitsSchema = z.strictObject({
  maxTurns: runLimitsSchema.shape.maxTurns.unwrap().optional(),
  maxTokens: runLimitsSchema.shape.maxTokens,
  maxCostUsd: runLimitsSchema.shape.maxCostUsd,
  maxMinutes: runLimitsSchema.shape.maxMinutes,
});
