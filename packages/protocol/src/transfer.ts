/**
 * A Work with the runs of its tree on the way to another store: what each of them consists of, as hashes of contents that travel by
 * themselves. The receiver trusts nothing of it.
 */
import { countSchema, sha256Schema } from './scalars.ts';
import * as z from './zod.ts';

/** Relative, with slashes. The receiver checks which names its files can have. */
const relativePathSchema = z
  .string()
  .check(z.maxLength(4_096), z.regex(/^(?!.*(?:^|\/)\.{0,2}(?:\/|$))[^\0]+$/, 'a relative path'));

const transferredWorkSchema = z.strictObject({
  /** Validated as that of a run or a conversation. */
  record: z.record(z.string(), z.unknown()),
  /** Lines of the log, chained as on disk, in parts. */
  log: z.array(sha256Schema),
  lastSeq: countSchema,
  state: z.record(relativePathSchema, sha256Schema),
  /** Lines of the journal. */
  journal: z.optional(sha256Schema),
  /** Contents that the journal kept. */
  images: z.array(sha256Schema),
});
export type TransferredWork = z.infer<typeof transferredWorkSchema>;

const transferredFileSchema = z.strictObject({
  path: relativePathSchema,
  sha256: sha256Schema,
  bytes: countSchema,
  isExecutable: z.optional(z.literal(true)),
});
export type TransferredFile = z.infer<typeof transferredFileSchema>;

export const transferSchema = z.strictObject({
  format: z.literal(1),
  /** The Work at the root first, and each one after its parent. */
  works: z.array(transferredWorkSchema).check(z.minLength(1), z.maxLength(1_000)),
  /** Files of the project that these Works changed, as they are now. */
  changed: z.array(transferredFileSchema),
  /** Those of them that are not there any more. */
  deleted: z.array(relativePathSchema),
  /** Other files of the project, for a receiver that lacks them. */
  others: z.array(transferredFileSchema),
  /** Hashes of the files of each package, for a receiver that lacks it. */
  packages: z.array(
    z.strictObject({ hash: sha256Schema, files: z.record(relativePathSchema, sha256Schema) }),
  ),
});
export type Transfer = z.infer<typeof transferSchema>;
