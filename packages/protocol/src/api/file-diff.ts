/** The diff and the versions of a file that a run or a thread changed. */
import * as z from '../zod.ts';
import { queryCountSchema } from './ids.ts';

export const fileDiffQuerySchema = z.strictObject({
  /** A mount path in the project. */
  path: z.string().check(z.maxLength(4_096)),
  /** One change only; default: all changes up to the current file. */
  change: z.optional(queryCountSchema),
  /** All changes up to this one, instead of the current file. */
  until: z.optional(queryCountSchema),
});

export const fileDiffSchema = z.strictObject({
  path: z.string(),
  /** Unified; missing if there is none to show. */
  diff: z.optional(z.string()),
  /** Why there is no diff. */
  reason: z.optional(z.enum(['same', 'binary', 'too-large', 'not-kept'])),
});
export type FileDiff = z.infer<typeof fileDiffSchema>;

export const fileVersionQuerySchema = z.strictObject({
  /** A mount path in the project. */
  path: z.string().check(z.maxLength(4_096)),
  change: queryCountSchema,
  side: z._default(z.enum(['before', 'after']), 'after'),
});

export const fileVersionSchema = z.strictObject({
  path: z.string(),
  text: z.optional(z.string()),
  /** Of a file that is not text. */
  base64: z.optional(z.string()),
  /** Why there is neither. */
  reason: z.optional(z.enum(['absent', 'too-large', 'not-kept'])),
});
export type FileVersion = z.infer<typeof fileVersionSchema>;
