/**
 * The body of every error response.
 */
import * as z from '../zod.ts';

export const errorBodySchema = z.strictObject({
  error: z.strictObject({
    /** From the error table, or `INTERNAL` with an id that the server's log contains. */
    code: z.string(),
    message: z.string(),
    details: z.optional(z.record(z.string(), z.unknown())),
  }),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;
