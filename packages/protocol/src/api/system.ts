/**
 * The server over HTTP: version, storage, diagnostics, doctor, and the stream of all Works.
 */
import { countSchema } from '../scalars.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { listMessageSchema } from './work-messages.ts';

const partSchema = z.strictObject({ problem: z.optional(z.string()) });

export const system = {
  show: defineEndpoint('GET /system', 'Describes the server.', {
    response: z.strictObject({
      name: z.literal('crewagent'),
      version: z.string(),
      node: z.string(),
      platform: z.string(),
      startedAt: z.string(),
      /** Whether there is a desktop to show files on. */
      canReveal: z.boolean(),
    }),
  }),
  storage: defineEndpoint('GET /storage', 'Shows what is stored on this machine, and its size.', {
    response: z.strictObject({
      /** Location of the store, with `~` for the home folder. */
      place: z.string(),
      bytes: countSchema,
      packages: z.strictObject({ count: z.int(), bytes: z.int() }),
      projects: z.array(
        z.strictObject({
          projectId: z.string(),
          conversations: z.int(),
          runs: z.int(),
          bytes: countSchema,
        }),
      ),
      /** There is more than was counted. */
      isCut: z.boolean(),
    }),
  }),
  diagnostics: defineEndpoint(
    'GET /diagnostics',
    'Downloads a diagnostics file: versions, doctor results, settings. Contains no keys and no content.',
    { returnsFile: true },
  ),
  doctor: defineEndpoint('GET /doctor', 'Checks that this machine has what runs need. Changes nothing.', {
    response: z.strictObject({
      ok: z.boolean(),
      /** `place`: location of the store, with `~` for the home folder. */
      store: z.strictObject({ place: z.string(), exists: z.boolean(), problem: z.optional(z.string()) }),
      settings: partSchema,
      projects: partSchema,
      hasRipgrep: z.boolean(),
      hasKernelLocks: z.boolean(),
      packages: z.strictObject({ count: z.int(), problem: z.optional(z.string()) }),
      runs: z.strictObject({
        count: z.int(),
        interrupted: z.int(),
        damaged: z.int(),
        problem: z.optional(z.string()),
      }),
    }),
  }),
  openApi: defineEndpoint('GET /openapi.json', 'This API as an OpenAPI document.', {
    response: z.record(z.string(), z.unknown()),
  }),
  events: defineEndpoint(
    'GET /events',
    'Streams all runs and conversations of this user, and their changes.',
    { message: listMessageSchema },
  ),
};
