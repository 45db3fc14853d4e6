/**
 * `server.json` in the store: where the server of this store can be reached, and with which token. For its owner only.
 */
import * as z from '../zod.ts';

export const serverRecordSchema = z.strictObject({
  schemaVersion: z.literal(1),
  pid: z.int().min(1),
  /** Such as `http://127.0.0.1:4000`. */
  url: z.string(),
  token: z.string(),
  startedAt: z.iso.datetime(),
});
export type ServerRecord = z.infer<typeof serverRecordSchema>;
