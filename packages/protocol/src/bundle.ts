/**
 * A run in one file: the description of a transfer with its contents. `bundle.json` of the zip; `contents/` has one entry for each hash
 * that it names. The receiver trusts nothing of it.
 */
import { packageSignatureSchema } from './package-signature.ts';
import { sha256Schema } from './scalars.ts';
import { transferSchema } from './transfer.ts';
import * as z from './zod.ts';

export const bundleSchema = z.strictObject({
  format: z.literal(1),
  /** Version of crewagent that wrote it. */
  runtime: z.string().check(z.maxLength(100)),
  transfer: transferSchema,
  /** Packages that its Works need; the files of those inside are in the transfer. */
  packages: z.array(
    z.strictObject({
      hash: sha256Schema,
      name: z.string(),
      version: z.string(),
      /** Of the package's author. */
      signature: z.optional(packageSignatureSchema),
    }),
  ),
});
export type Bundle = z.infer<typeof bundleSchema>;
