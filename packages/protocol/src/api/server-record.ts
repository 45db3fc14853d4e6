/**
 * `server.json` in the store: URL and token of the server of this store. Readable by its owner only.
 */
import { positiveCountSchema } from '../scalars.ts';
import * as z from '../zod.ts';

export const serverRecordSchema = z.strictObject({
  schemaVersion: z.literal(1),
  pid: positiveCountSchema,
  /** Such as `http://127.0.0.1:4000`. */
  url: z.string(),
  token: z.string(),
  startedAt: z.iso.datetime(),
});
export type ServerRecord = z.infer<typeof serverRecordSchema>;
