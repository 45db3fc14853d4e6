/** Search over the text of all Works and of the files they wrote. */
import { countSchema } from '../scalars.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { queryCountSchema, storeIdSchema } from './ids.ts';

/** Whose text it is: `file` is the content of an artifact, `path` its name. */
export const passageKindSchema = z.enum(['title', 'person', 'reply', 'question', 'answer', 'path', 'file']);
export type PassageKind = z.infer<typeof passageKindSchema>;

const snippetSchema = z.strictObject({
  kind: passageKindSchema,
  /** On one line, cut to the words that were found. */
  text: z.string(),
  /** Where the words are in `text`: start and end of each. */
  marks: z.array(z.tuple([countSchema, countSchema])),
  /** The log and the number of the event in it; for a title, the last event that was read. */
  runId: z.string(),
  seq: countSchema,
  /** Of a file: its mount path. */
  path: z.optional(z.string()),
});
export type Snippet = z.infer<typeof snippetSchema>;

export const foundWorkSchema = z.strictObject({
  /** The Work that a person opens: the conversation, or the run that no other called. */
  workId: z.string(),
  projectId: z.string(),
  title: z.string(),
  updatedAt: z.string(),
  snippets: z.array(snippetSchema),
});
export type FoundWork = z.infer<typeof foundWorkSchema>;

export const foundTextSchema = z.strictObject({
  works: z.array(foundWorkSchema),
  /** How many Works are in the index; the others are added by the next requests. */
  indexed: countSchema,
  total: countSchema,
  /** The index has reached its size: the text of the oldest Works is not searched. */
  isFull: z.boolean(),
});
export type FoundText = z.infer<typeof foundTextSchema>;

export const search = {
  find: defineEndpoint(
    'GET /search',
    'Finds Works by words in their messages and in the files they wrote; updates the index for a second at most.',
    {
      query: z.strictObject({
        q: z.string().check(z.minLength(1), z.maxLength(500)),
        project: z.optional(storeIdSchema),
        limit: z.optional(queryCountSchema),
      }),
      response: foundTextSchema,
    },
  ),
} as const;
