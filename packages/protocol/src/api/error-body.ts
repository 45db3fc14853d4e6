/**
 * How every refusal and failure looks on the wire.
 */
import * as z from '../zod.ts';

export const errorBodySchema = z.strictObject({
  error: z.strictObject({
    /** From the error table, or `INTERNAL`, which carries an id to look for in the server's own words. */
    code: z.string(),
    message: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;
