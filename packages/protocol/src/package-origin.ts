/**
 * Where a package came from, so that a newer version can be found and installed. Stored beside a package and never in it,
 * because a path belongs to one machine.
 */
import { identityKeySchema, packageSignatureSchema } from './package-signature.ts';
import { nonEmptySchema, sha256Schema } from './scalars.ts';
import * as z from './zod.ts';

const pathPlaceSchema = z.strictObject({ kind: z.literal('path'), path: nonEmptySchema });

const gitPlaceSchema = z.strictObject({
  kind: z.literal('git'),
  url: nonEmptySchema,
  /** The tag or branch that was asked for; the default branch if there is none. */
  ref: z.optional(nonEmptySchema),
  commit: nonEmptySchema,
});

/** Of a source that can be converted. */
export type SourcePlace = z.infer<typeof pathPlaceSchema> | z.infer<typeof gitPlaceSchema>;

const packagePlaceSchema = z.discriminatedUnion('kind', [
  pathPlaceSchema,
  gitPlaceSchema,
  z.strictObject({ kind: z.literal('url'), url: nonEmptySchema }),
  /** `wanted`: a tag or a version that was asked for. */
  z.strictObject({ kind: z.literal('npm'), name: nonEmptySchema, wanted: z.optional(nonEmptySchema) }),
  /** `url`: address or path of the index. */
  z.strictObject({ kind: z.literal('index'), url: nonEmptySchema, name: nonEmptySchema }),
  /** A file that a browser sent. */
  z.strictObject({ kind: z.literal('upload'), name: nonEmptySchema }),
]);
export type PackagePlace = z.infer<typeof packagePlaceSchema>;

export const packageOriginSchema = z.strictObject({
  schemaVersion: z.literal(1),
  place: packagePlaceSchema,
  /** Of the content that was read. */
  sha256: sha256Schema,
  /** That came with the package and was valid. */
  signature: z.optional(packageSignatureSchema),
  /** Of the Sigstore bundle that came with the package and was valid. */
  identity: z.optional(identityKeySchema),
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
