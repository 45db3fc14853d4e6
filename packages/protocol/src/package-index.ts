/** An index of packages: a static JSON file that anybody can host beside the packages. */
import { aboutSchema } from './about.ts';
import { packageSignatureSchema } from './package-signature.ts';
import { nonEmptySchema, sha256Schema } from './scalars.ts';
import * as z from './zod.ts';

const indexedVersionSchema = z.object({
  version: nonEmptySchema,
  /** Of the .bmad file: absolute, or relative to the index. */
  url: nonEmptySchema,
  /** The hash of the package. */
  sha256: sha256Schema,
  signature: z.optional(packageSignatureSchema),
  publishedAt: z.optional(z.string()),
});
export type IndexedVersion = z.infer<typeof indexedVersionSchema>;

const indexedPackageSchema = z.object({
  name: nonEmptySchema,
  description: z.optional(z.string()),
  /** Of the newest version; ignored if it cannot be read. */
  about: z.catch(z.optional(aboutSchema), undefined),
  versions: z.array(indexedVersionSchema),
});
export type IndexedPackage = z.infer<typeof indexedPackageSchema>;

/** Keys that this version does not know are ignored. */
export const packageIndexSchema = z.object({
  schemaVersion: z.literal(1),
  packages: z.array(indexedPackageSchema).check(z.maxLength(20_000)),
});
export type PackageIndex = z.infer<typeof packageIndexSchema>;
