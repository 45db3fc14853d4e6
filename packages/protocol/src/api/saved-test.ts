/** A run that was saved as a test of its package. */
import * as z from '../zod.ts';

export const savedTestSchema = z.strictObject({
  /** Folder of the package. */
  folder: z.string(),
  /** Path of the test in the package. */
  file: z.string(),
  name: z.string(),
  /** Text of the test. */
  text: z.string(),
  /** Files of the project that the run read and that are too large for a test. */
  left: z.array(z.string()),
});
export type SavedTest = z.infer<typeof savedTestSchema>;
