/**
 * `secrets.json`: API keys by the name of their model settings, and values for MCP servers.
 */
import * as z from './zod.ts';

export const secretsSchema = z.strictObject({
  schemaVersion: z.literal(1),
  /** Each key with the address it may be sent to. */
  keys: z.record(z.string(), z.strictObject({ key: z.string(), address: z.string() })),
  /** By server: values of environment variables or headers, with the command or URL that may receive them. */
  servers: z
    .record(z.string(), z.strictObject({ address: z.string(), values: z.record(z.string(), z.string()) }))
    .optional(),
});
export type Secrets = z.infer<typeof secretsSchema>;
