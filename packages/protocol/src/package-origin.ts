/**
 * Where a package came from, so that a newer version can be found and installed. Stored beside a package and never in it,
 * because a path belongs to one machine.
 */
import { nonEmptySchema, sha256Schema } from './scalars.ts';
import * as z from './zod.ts';

const sourcePlaceSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('path'), path: nonEmptySchema }),
  z.strictObject({
    kind: z.literal('git'),
    url: nonEmptySchema,
    /** The tag or branch that was asked for; the default branch if there is none. */
    ref: z.optional(nonEmptySchema),
    commit: nonEmptySchema,
  }),
]);
export type SourcePlace = z.infer<typeof sourcePlaceSchema>;

export const packageOriginSchema = z.strictObject({
  schemaVersion: z.literal(1),
  place: sourcePlaceSchema,
  /** Of the content that was read. */
  sha256: sha256Schema,
  /** The place has a source of another tool, of which these parts were converted. */
  conversion: z.optional(
    z.strictObject({
      module: z.optional(z.string()),
      workflows: z.optional(z.array(z.string())),
      /** Of the package, if the source was split into several. */
      packageName: z.optional(z.string()),
      /** The package folder that was written, with the edits of a person; none for a package that was installed at once. */
      folder: z.optional(nonEmptySchema),
    }),
  ),
});
export type PackageOrigin = z.infer<typeof packageOriginSchema>;
