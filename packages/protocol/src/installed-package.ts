/**
 * A package in the store as lists and screens show it. The hash is its identity; names are only labels.
 */
import { sha256Schema } from './scalars.ts';
import * as z from './zod.ts';

export const installedPackageSchema = z.strictObject({
  hash: sha256Schema,
  name: z.string(),
  version: z.string(),
  description: z.optional(z.string()),
  installedAt: z.string(),
});

export type InstalledPackage = z.infer<typeof installedPackageSchema>;
