/**
 * `bmad.json`, the manifest of a package: its name, its entry point, and the workflows it lists.
 * All paths are relative to the root of the archive.
 */

import { dateTimeSchema, identifierSchema, schemaReferenceSchema, schemaVersionSchema } from './format.ts';
import { nonEmptySchema } from './scalars.ts';
import * as z from './zod.ts';

const entrySchema = z.strictObject({
  workflow: z.string().check(z.meta({ description: 'Path of the workflow.md that runs by default.' })),
  graph: z.string().check(z.meta({ description: 'Path of its workflow.graph.json.' })),
  agents: z.string().check(z.meta({ description: 'Path of agents.json.' })),
  assetsDir: z._default(z.string(), 'assets/'),
});

const listedWorkflowSchema = z.strictObject({
  id: identifierSchema,
  displayName: z.optional(z.string()),
  description: z.optional(z.string()),
  workflow: z.string(),
  graph: z.string(),
  tags: z._default(z.array(z.string()), []),
});

export const bmadManifestSchema = z
  .strictObject({
    $schema: schemaReferenceSchema,
    schemaVersion: schemaVersionSchema,
    name: nonEmptySchema,
    version: z
      .string()
      .check(
        z.regex(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/),
        z.meta({ description: 'Semantic version such as 1.0.0 or 1.0.0-beta.1+build.5.' }),
      ),
    description: z.optional(z.string()),
    author: z.optional(z.string()),
    createdAt: z.optional(dateTimeSchema),
    entry: entrySchema,
    workflows: z._default(z.array(listedWorkflowSchema), []),
    runtime: z.optional(
      z.strictObject({
        minRuntimeVersion: z.optional(z.string()),
        requiresNetwork: z._default(z.boolean(), false),
      }),
    ),
    integrity: z.optional(
      z.strictObject({
        sha256: z.optional(z.string().check(z.regex(/^[a-fA-F0-9]{64}$/))),
      }),
    ),
  })
  .check(z.meta({ title: 'Package manifest (bmad.json)' }));

export type BmadManifest = z.infer<typeof bmadManifestSchema>;
export type ListedWorkflow = z.infer<typeof listedWorkflowSchema>;
