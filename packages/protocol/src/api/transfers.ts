/**
 * Works on their way between a team server and other stores. Contents travel by their hash: those that the project has already are neither
 * sent nor stored again, and what was sent before an interruption stays for a day.
 */
import { countSchema, sha256Schema } from '../scalars.ts';
import { transferSchema } from '../transfer.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { flagSchema, storeIdSchema } from './ids.ts';

const MAX_CONTENT_BYTES = 512 * 1_048_576;
const MAX_ASKED = 5_000;

export const transfers = {
  missing: defineEndpoint(
    'POST /projects/:projectId/transfers/missing',
    'Says which of these contents have to be sent.',
    {
      body: z.strictObject({ hashes: z.array(sha256Schema).check(z.maxLength(MAX_ASKED)) }),
      response: z.strictObject({ missing: z.array(sha256Schema) }),
    },
  ),
  send: defineEndpoint('PUT /projects/:projectId/transfers/contents/:hash', 'Stores a content.', {
    acceptsBytes: true,
    maxBytes: MAX_CONTENT_BYTES,
  }),
  receive: defineEndpoint(
    'POST /projects/:projectId/transfers',
    'Takes a Work over whose parts were sent; continues the copy that is there, or refuses if both went on.',
    {
      body: z.strictObject({
        /** Hash of the description of the Work, which was sent like any content. */
        transfer: sha256Schema,
      }),
      response: z.strictObject({
        workId: storeIdSchema,
        /** False if the server has all of it already. */
        isNew: z.boolean(),
        /** Changed files that could not be merged. */
        conflicts: countSchema,
      }),
    },
  ),
  show: defineEndpoint('GET /works/:workId/transfer', 'Describes a Work for another store.', {
    query: z.strictObject({
      /** Also files of the project that the Work did not change. */
      all: z.optional(flagSchema),
    }),
    response: transferSchema,
  }),
  content: defineEndpoint(
    'GET /works/:workId/transfer/contents/:hash',
    'Returns a content of the description.',
    {
      returnsFile: true,
    },
  ),
} as const;
