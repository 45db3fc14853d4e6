/**
 * What a person may say when they begin a run or a conversation.
 */
import { runLimitsSchema } from '../settings.ts';
import * as z from '../zod.ts';
import { filePathSchema } from './files.ts';

/** A model in the settings by its name, or `rehearsal`; the default one if left out. */
export const modelSchema = z.string().min(1).max(200).optional();

export const textSchema = z.string().min(1).max(200_000);

/** Files of the project that are handed to a workflow; what they may lead to is decided where files are opened. */
export const documentsSchema = z.array(filePathSchema).max(100).optional();

export const limitsSchema = z.strictObject({
  maxTurns: runLimitsSchema.shape.maxTurns.unwrap().optional(),
  maxTokens: runLimitsSchema.shape.maxTokens,
  maxCostUsd: runLimitsSchema.shape.maxCostUsd,
  maxMinutes: runLimitsSchema.shape.maxMinutes,
});
