/**
 * A package in the store as lists and screens show it. The hash is its identity; names are only labels.
 */
import { sha256Schema } from './scalars.ts';
import * as z from './zod.ts';

export const installedPackageSchema = z.strictObject({
  hash: sha256Schema,
  name: z.string(),
  version: z.string(),
  /** From its about.json. */
  title: z.optional(z.string()),
  description: z.optional(z.string()),
  installedAt: z.string(),
  /** Its files are not those that were installed. Only where that was checked. */
  isDamaged: z.optional(z.literal(true)),
});

export type InstalledPackage = z.infer<typeof installedPackageSchema>;

/** By path in the package. */
export const fileHashesSchema = z.record(z.string(), sha256Schema);
export type FileHashes = z.infer<typeof fileHashesSchema>;

/** The files of an installed package. */
export const packageSealSchema = z.strictObject({
  schemaVersion: z.literal(1),
  files: fileHashesSchema,
  /** Of the files as they were found: the package was installed by a version without seals. */
  isComputed: z.optional(z.literal(true)),
});
