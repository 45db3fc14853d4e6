/** Pictures that a person shows to a model: types, limits, and how a log refers to them. */
import { countSchema, nonEmptySchema, sha256Schema } from './scalars.ts';
import * as z from './zod.ts';

/** What every provider of pictures takes. */
export const pictureTypeSchema = z.enum(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);
export type PictureType = z.infer<typeof pictureTypeSchema>;

/** Larger ones are rejected by some providers. */
export const MAX_PICTURE_BYTES = 5 * 1024 * 1024;
/** In one message. */
export const MAX_PICTURES = 4;

/** The bytes are in the files of the Work, by their hash: the file in the project may change. */
export const pictureSchema = z.strictObject({
  /** Where the person has it. */
  path: nonEmptySchema,
  mime: pictureTypeSchema,
  bytes: countSchema,
  sha256: sha256Schema,
});
export type Picture = z.infer<typeof pictureSchema>;
