/**
 * `bmad.json`, the manifest of a package: its name, its entry point, and the workflows it lists.
 * All paths are relative to the root of the archive.
 */

import {
  dateTimeSchema,
  identifierSchema,
  nonEmptySchema,
  schemaReferenceSchema,
  schemaVersionSchema,
} from './format.ts';
import * as z from './zod.ts';

const entrySchema = z.strictObject({
  workflow: z.string().meta({ description: 'Path of the workflow.md that runs by default.' }),
  graph: z.string().meta({ description: 'Path of its workflow.graph.json.' }),
  agents: z.string().meta({ description: 'Path of agents.json.' }),
  assetsDir: z.string().default('assets/'),
});

const listedWorkflowSchema = z.strictObject({
  id: identifierSchema,
  displayName: z.string().optional(),
  description: z.string().optional(),
  workflow: z.string(),
  graph: z.string(),
  tags: z.array(z.string()).default([]),
});

export const bmadManifestSchema = z
  .strictObject({
    $schema: schemaReferenceSchema,
    schemaVersion: schemaVersionSchema,
    name: nonEmptySchema,
    version: z
      .string()
      .regex(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/)
      .meta({ description: 'Semantic version such as 1.0.0 or 1.0.0-beta.1+build.5.' }),
    description: z.string().optional(),
    author: z.string().optional(),
    createdAt: dateTimeSchema.optional(),
    entry: entrySchema,
    workflows: z.array(listedWorkflowSchema).default([]),
    runtime: z
      .strictObject({
        minRuntimeVersion: z.string().optional(),
        requiresNetwork: z.boolean().default(false),
      })
      .optional(),
    integrity: z
      .strictObject({
        sha256: z
          .string()
          .regex(/^[a-fA-F0-9]{64}$/)
          .optional(),
      })
      .optional(),
  })
  .meta({ title: 'Package manifest (bmad.json)' });

export type BmadManifest = z.infer<typeof bmadManifestSchema>;
export type ListedWorkflow = z.infer<typeof listedWorkflowSchema>;
