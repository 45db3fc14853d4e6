/**
 * `import-report.json`: how a module or skill of another tool was converted to a package, construct by construct, with the
 * source lines each decision is based on.
 */

import { packageChangesSchema } from './package-changes.ts';
import { positiveCountSchema, sha256Schema } from './scalars.ts';
import { typedInputSchema } from './typed-inputs.ts';
import * as z from './zod.ts';

/** `exact`: the source says so. `inferred`: concluded from prose, names or order. `dropped`: not in the package. */
export const certaintySchema = z.enum(['exact', 'inferred', 'dropped']);
export type Certainty = z.infer<typeof certaintySchema>;

export const SOURCE_ERAS = [
  'bmad-v4',
  'bmad-v6',
  'bmad-installed',
  'bmad-skills',
  'agent-skills',
  'commands',
] as const;
export type SourceEra = (typeof SOURCE_ERAS)[number];

export const WORKFLOW_KINDS = [
  'micro-steps',
  'classic',
  'skill',
  'skill-steps',
  'sequence',
  'command',
  'dag',
] as const;
export type WorkflowKind = (typeof WORKFLOW_KINDS)[number];

const evidenceSchema = z.strictObject({
  file: z.string().check(z.meta({ description: 'Path inside the source.' })),
  line: z.optional(positiveCountSchema),
  text: z.optional(z.string()),
});
export type Evidence = z.infer<typeof evidenceSchema>;

const constructSchema = z.extend(evidenceSchema, {
  construct: z.string(),
  certainty: certaintySchema,
  workflow: z.optional(z.string()),
  message: z.string(),
});
export type ImportedConstruct = z.infer<typeof constructSchema>;

const edgeSchema = z.strictObject({
  from: z.string(),
  to: z.string(),
  label: z.string(),
  certainty: certaintySchema,
  evidence: z.array(evidenceSchema),
});

/** `faithful`: as the source says. `usable`: some of it inferred, unchecked or prose. `needs-work`: parts are missing. */
export const VERDICTS = ['faithful', 'usable', 'needs-work'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What can be missing in the package although the source has it. */
export const LOST = [
  'agents',
  'menu-items',
  'steps',
  'moves',
  'tokens',
  'outputs',
  'references',
  'prose',
  'kinds',
  'files',
] as const;

const lostSchema = z.strictObject({
  what: z.enum(LOST),
  count: positiveCountSchema,
  of: z.optional(positiveCountSchema).check(z.meta({ description: 'How many of them the source has.' })),
  examples: z.array(evidenceSchema),
});
export type LostPart = z.infer<typeof lostSchema>;

const workflowSchema = z.strictObject({
  id: z.string(),
  verdict: z.optional(z.enum(VERDICTS)),
  kind: z.enum(WORKFLOW_KINDS),
  source: z.string(),
  nodes: z.int(),
  edges: z.array(edgeSchema),
});

const coverageSchema = z.strictObject({ covered: z.int(), total: z.int() });

const countsSchema = z.strictObject({ exact: z.int(), inferred: z.int(), dropped: z.int() });

const unresolvedSchema = z.extend(evidenceSchema, { reference: z.string(), message: z.string() });

export const CAPABILITIES = ['shell', 'web', 'sub-agents', 'memory'] as const;

const capabilitySchema = z.strictObject({
  capability: z.enum(CAPABILITIES),
  count: z.int(),
  places: z.array(evidenceSchema),
  fallback: z
    .optional(evidenceSchema)
    .check(z.meta({ description: 'What the source says to do without it.' })),
});
export type CapabilityRequest = z.infer<typeof capabilitySchema>;

const findingSchema = z.extend(evidenceSchema, {
  code: z.enum(['LINK', 'SPECIAL', 'TOO_LARGE', 'TOO_DEEP', 'TOO_MANY', 'UNSAFE_NAME', 'NOT_READABLE']),
  message: z.string(),
});
export type SourceFinding = z.infer<typeof findingSchema>;

export const importReportSchema = z
  .strictObject({
    schemaVersion: z.literal('1'),
    source: z.strictObject({
      name: z.string(),
      eras: z.array(z.strictObject({ era: z.enum(SOURCE_ERAS), evidence: z.string() })).check(z.minLength(1)),
      modules: z.array(z.string()),
      licence: z.optional(z.string()),
      sha256: z.optional(sha256Schema).check(z.meta({ description: 'Of everything that was read of it.' })),
      git: z
        .optional(z.strictObject({ url: z.string(), ref: z.optional(z.string()), commit: z.string() }))
        .check(z.meta({ description: 'The repository it was fetched from.' })),
    }),
    package: z.strictObject({ name: z.string(), workflows: z.int(), agents: z.int(), files: z.int() }),
    attention: z
      .array(z.string())
      .check(z.maxLength(10), z.meta({ description: 'What a person should check first.' })),
    notCarriedOver: z
      .optional(z.array(lostSchema))
      .check(z.meta({ description: 'Counted from the source: what it has and the package has not.' })),
    totals: z.strictObject({ constructs: countsSchema, edges: countsSchema }),
    workflows: z.array(workflowSchema),
    constructs: z.array(constructSchema),
    unresolved: z.array(unresolvedSchema),
    capabilities: z.array(capabilitySchema),
    repairs: z.array(z.extend(evidenceSchema, { message: z.string() })),
    findings: z.array(findingSchema),
    inputs: z.array(typedInputSchema),
    edits: z
      .strictObject({
        kept: z.array(z.string()),
        merged: z.array(z.string()),
        conflicts: z.array(z.string()),
      })
      .check(z.meta({ description: 'Files that were edited by hand since the last import.' })),
    changes: z
      .optional(packageChangesSchema)
      .check(z.meta({ description: 'What the last update of this folder changed in the package.' })),
    checks: z
      .optional(
        z.strictObject({
          errors: z.int(),
          warnings: z.int(),
          rehearsal: z.optional(
            z.strictObject({
              ok: z.boolean(),
              nodes: coverageSchema,
              edges: coverageSchema,
              missingFiles: z.optional(positiveCountSchema).check(
                z.meta({
                  description: 'Files that texts name and the source lacks, if nothing else failed.',
                }),
              ),
            }),
          ),
        }),
      )
      .check(z.meta({ description: 'What validation and rehearsal said right after the import.' })),
  })
  .check(z.meta({ title: 'Report of an import (import-report.json)' }));

export type ImportReport = z.infer<typeof importReportSchema>;
