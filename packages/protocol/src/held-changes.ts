/**
 * Changes of a program that ran and wait for approval, as stored in the folder of its view. The contents are beside it.
 */
import { runsLaterSchema } from './tools.ts';
import * as z from './zod.ts';

export const heldChangesSchema = z.strictObject({
  v: z.literal(1),
  callId: z.string(),
  nodeId: z.optional(z.string()),
  tool: z.string(),
  /** The result of the call without these changes. */
  result: z.record(z.string(), z.unknown()),
  /** The effect of the call. */
  effect: z.record(z.string(), z.unknown()),
  asked: z.array(
    z.strictObject({
      /** Path in the project. */
      path: z.string(),
      isRemoved: z.boolean(),
      isFolder: z.boolean(),
      runsLater: z.optional(runsLaterSchema),
    }),
  ),
});
export type HeldChanges = z.infer<typeof heldChangesSchema>;
export type AskedChange = HeldChanges['asked'][number];
