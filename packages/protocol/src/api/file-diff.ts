/** What became of a file that a run or a talk changed, as a person is shown it. */
import * as z from '../zod.ts';
import { countSchema } from './ids.ts';

export const fileDiffQuerySchema = z.strictObject({
  /** A mount path in the project. */
  path: z.string().max(4_096),
  /** One change only; all of them, up to the file as it is now, if left out. */
  change: countSchema.optional(),
});

export const fileDiffSchema = z.strictObject({
  path: z.string(),
  /** Unified; missing where there is none to show. */
  diff: z.string().optional(),
  /** Why there is none. */
  reason: z.enum(['same', 'binary', 'too-large', 'not-kept']).optional(),
});
export type FileDiff = z.infer<typeof fileDiffSchema>;
