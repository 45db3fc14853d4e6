/**
 * The server itself over HTTP: what runs here, whether the machine is fit, and what waits for a person.
 */
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { listMessageSchema } from './work-messages.ts';

const partSchema = z.strictObject({ problem: z.string().optional() });

export const system = {
  show: defineEndpoint({
    method: 'GET',
    path: '/system',
    summary: 'What answers here.',
    response: z.strictObject({
      name: z.literal('crewagent'),
      version: z.string(),
      node: z.string(),
      platform: z.string(),
      startedAt: z.string(),
      /** There is a desktop that a file can be shown on. */
      canReveal: z.boolean(),
    }),
  }),
  storage: defineEndpoint({
    method: 'GET',
    path: '/storage',
    summary: 'What is kept on this machine, and how much of it.',
    response: z.strictObject({
      /** With `~` for the home folder. */
      place: z.string(),
      bytes: z.int().min(0),
      packages: z.strictObject({ count: z.int(), bytes: z.int() }),
      projects: z.array(
        z.strictObject({
          projectId: z.string(),
          conversations: z.int(),
          runs: z.int(),
          bytes: z.int().min(0),
        }),
      ),
      /** There is more than was counted. */
      isCut: z.boolean(),
    }),
  }),
  diagnostics: defineEndpoint({
    method: 'GET',
    path: '/diagnostics',
    summary:
      'What helps to find a fault, as one file: versions, the doctor, settings. No key, no text of anybody.',
    givesFile: true,
  }),
  doctor: defineEndpoint({
    method: 'GET',
    path: '/doctor',
    summary: 'Whether this machine has what runs need. Changes nothing.',
    response: z.strictObject({
      ok: z.boolean(),
      /** With `~` for the home folder. */
      store: z.strictObject({ place: z.string(), exists: z.boolean(), problem: z.string().optional() }),
      settings: partSchema,
      projects: partSchema,
      hasRipgrep: z.boolean(),
      hasKernelLocks: z.boolean(),
      packages: z.strictObject({ count: z.int(), problem: z.string().optional() }),
      runs: z.strictObject({
        count: z.int(),
        interrupted: z.int(),
        damaged: z.int(),
        problem: z.string().optional(),
      }),
    }),
  }),
  openApi: defineEndpoint({
    method: 'GET',
    path: '/openapi.json',
    summary: 'This description, as an OpenAPI document.',
    response: z.record(z.string(), z.unknown()),
  }),
  events: defineEndpoint({
    method: 'GET',
    path: '/events',
    summary: 'All runs and conversations of this user, and each change of one as it happens.',
    message: listMessageSchema,
  }),
};
