/**
 * Imports over HTTP: a module or skill of another tool is converted in a private staging folder, looked at, rehearsed, and then
 * installed or discarded. Nothing in it is executed.
 */
import { importReportSchema } from '../import-report.ts';
import { readerKindSchema, readerTrialSchema } from '../reader-trials.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { pathSchema, storeIdSchema } from './ids.ts';
import { importedSchema, inspectedSchema, shownGraphSchema } from './packages.ts';

/** More than any source that is read whole: a source has at most 48 MiB. */
export const MAX_SOURCE_UPLOAD_BYTES = 64 * 1024 * 1024;

const stagedSchema = z.strictObject({
  importId: storeIdSchema,
  /** What was found and how it was converted. */
  report: importReportSchema,
  /** The package as it would be installed. */
  inspected: inspectedSchema,
});
export type ShownImport = z.infer<typeof stagedSchema>;

const coverageSchema = z.strictObject({ covered: z.int(), total: z.int() });

export const rehearsalSchema = z.strictObject({
  ok: z.boolean(),
  workflows: z.array(
    z.strictObject({
      ref: z.string(),
      title: z.string(),
      ok: z.boolean(),
      nodes: coverageSchema,
      edges: coverageSchema,
    }),
  ),
  /** Empty without `as`. */
  trials: z.array(readerTrialSchema),
});
export type ImportRehearsal = z.infer<typeof rehearsalSchema>;

export const imports = {
  upload: defineEndpoint(
    'POST /imports/upload',
    'Converts an uploaded zip with a module or skills of another tool; installs nothing.',
    {
      query: z.strictObject({ name: z.string().check(z.minLength(1), z.maxLength(255)) }),
      acceptsBytes: true,
      maxBytes: MAX_SOURCE_UPLOAD_BYTES,
      response: stagedSchema,
      status: 201,
    },
  ),
  openPath: defineEndpoint('POST /imports', 'Converts a folder or zip of this machine; installs nothing.', {
    body: z.strictObject({ path: pathSchema }),
    response: stagedSchema,
    status: 201,
  }),
  graph: defineEndpoint(
    'GET /imports/:importId/graph',
    'Shows the graph of a converted workflow; default: the entry workflow.',
    { query: z.strictObject({ workflow: z.optional(z.string()) }), response: shownGraphSchema },
  ),
  rehearse: defineEndpoint(
    'POST /imports/:importId/rehearse',
    'Rehearses the converted package without a model: every branch, or, with `as`, every workflow as that reader.',
    { query: z.strictObject({ as: z.optional(readerKindSchema) }), response: rehearsalSchema },
  ),
  progress: defineEndpoint(
    'GET /imports/:importId/rehearse',
    'Shows how many steps the rehearsal in progress has covered; nothing before its first run has ended.',
    { response: z.strictObject({ steps: z.optional(coverageSchema) }) },
  ),
  install: defineEndpoint('POST /imports/:importId/install', 'Installs the converted package.', {
    response: importedSchema,
    status: 201,
  }),
  discard: defineEndpoint('DELETE /imports/:importId', 'Discards the converted package.'),
};
