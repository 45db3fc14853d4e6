/**
 * `secrets.json`: API keys by the name of the model settings they belong to.
 */
import * as z from './zod.ts';

export const secretsSchema = z.strictObject({
  schemaVersion: z.literal(1),
  /** Each with the address it may be sent to. */
  keys: z.record(z.string(), z.strictObject({ key: z.string(), address: z.string() })),
});
export type Secrets = z.infer<typeof secretsSchema>;
