/**
 * Packages over HTTP: install, inspect, remove.
 */
import { aboutSchema } from '../about.ts';
import { diagnosticSchema, validationReportSchema } from '../diagnostics.ts';
import { installedPackageSchema } from '../installed-package.ts';
import { packageChangesSchema } from '../package-changes.ts';
import { signerSchema } from '../package-signature.ts';
import { sha256Schema } from '../scalars.ts';
import { nodeTypeSchema, workflowGraphSchema } from '../workflow.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { flagSchema, packageHashSchema, pathSchema } from './ids.ts';
import { shownPromptSchema } from './shown-context.ts';

const workflowQuery = z.strictObject({ workflow: z.optional(z.string()) });

export const importedSchema = z.strictObject({
  package: installedPackageSchema,
  alreadyInstalled: z.boolean(),
  /** Missing for a folder. */
  signer: z.optional(signerSchema),
  warnings: z.array(diagnosticSchema),
});

const MAX_UPLOAD_BYTES = 256 * 1024 * 1024;

const shownAgentSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  title: z.string(),
  icon: z.string(),
  description: z.optional(z.string()),
  /** The items of its menu, as the author wrote them. */
  menu: z.array(z.strictObject({ trigger: z.optional(z.string()), description: z.string() })),
  /** The tools it requests. */
  tools: z.strictObject({ fs: z.boolean(), servers: z.array(z.string()) }),
});

const shownWorkflowSchema = z.strictObject({
  ref: z.string(),
  title: z.string(),
  description: z.optional(z.string()),
  nodes: z.int(),
});

const shownNodeSchema = z.strictObject({
  id: z.string(),
  type: nodeTypeSchema,
  title: z.string(),
  agentId: z.optional(z.string()),
  inputs: z.array(z.string()),
  outputs: z.array(z.string()),
  setsVariables: z.array(z.string()),
  subworkflow: z.optional(z.string()),
});
export type ShownNode = z.infer<typeof shownNodeSchema>;

const contentsShape = {
  author: z.optional(z.string()),
  about: z.optional(aboutSchema),
  requiresNetwork: z.boolean(),
  agents: z.array(shownAgentSchema),
  /** The entry workflow first. */
  workflows: z.array(shownWorkflowSchema),
};

export const inspectedSchema = z.strictObject({
  report: validationReportSchema,
  /** Missing for a folder, and if the package cannot be installed. */
  archive: z.optional(z.strictObject({ hash: sha256Schema, signer: signerSchema })),
  /** Against the newest installed version of its name. */
  changes: z.optional(packageChangesSchema),
  /** Missing if the package cannot be installed. */
  contents: z.optional(
    z.strictObject({
      name: z.string(),
      version: z.string(),
      description: z.optional(z.string()),
      ...contentsShape,
    }),
  ),
});
export type InspectedPackage = z.infer<typeof inspectedSchema>;

export const shownGraphSchema = z.strictObject({
  workflow: shownWorkflowSchema,
  entryNodeId: z.string(),
  nodes: z.array(shownNodeSchema),
  edges: workflowGraphSchema.shape.edges,
});

const shownExampleSchema = z.strictObject({
  example: z.string(),
  name: z.string(),
  /** For people, as in the gallery. */
  title: z.string(),
  version: z.string(),
  description: z.optional(z.string()),
  /** For everyday work, with sample documents; the others show the format. */
  isMethod: z.boolean(),
  /** Set if the example is already installed. */
  installedHash: z.optional(packageHashSchema),
});
export type ShownExample = z.infer<typeof shownExampleSchema>;

/** A package to choose from: what it is called, needs, gives, looks like and took before. */
const galleryCardSchema = z.strictObject({
  /** Of an installed package; else `example` is set. */
  hash: z.optional(packageHashSchema),
  /** Name under which the example can be installed. */
  example: z.optional(z.string()),
  /** For people: of its about.json, else of its only workflow, else its name as words. */
  title: z.string(),
  name: z.string(),
  version: z.string(),
  description: z.optional(z.string()),
  agents: z.int(),
  workflows: z.int(),
  /** Of its first workflow; missing if it has agents only. With details. */
  graph: z.optional(shownGraphSchema),
  /** Earlier runs with a model. With details. */
  history: z.optional(
    z.strictObject({
      completed: z.int(),
      medianMs: z.optional(z.number()),
      /** Average of a run. */
      costUsd: z.optional(z.number()),
    }),
  ),
});
export type GalleryCard = z.infer<typeof galleryCardSchema>;

export const packages = {
  list: defineEndpoint('GET /packages', 'All installed packages.', {
    response: z.strictObject({ packages: z.array(installedPackageSchema) }),
  }),
  importPath: defineEndpoint(
    'POST /packages',
    'Installs a package: a path of this machine, an address (https, git+https, npm:), or a name in an index.',
    {
      body: z.strictObject({
        path: pathSchema,
        /** The hash that was shown; another package is rejected. */
        sha256: z.optional(sha256Schema),
        /** The person accepts another signer than before, or none. */
        acceptsSigner: z.optional(z.boolean()),
      }),
      response: importedSchema,
      status: 201,
    },
  ),
  upload: defineEndpoint('POST /packages/upload', 'Installs an uploaded archive.', {
    query: z.strictObject({
      name: z.optional(z.string().check(z.minLength(1), z.maxLength(255))),
      acceptsSigner: z.optional(flagSchema),
    }),
    acceptsBytes: true,
    maxBytes: MAX_UPLOAD_BYTES,
    response: importedSchema,
    status: 201,
  }),
  validate: defineEndpoint(
    'POST /packages/validate',
    'Validates an archive or folder of this machine without installing it.',
    { body: z.strictObject({ path: pathSchema }), response: validationReportSchema },
  ),
  inspect: defineEndpoint(
    'POST /packages/inspect',
    'Shows the contents, requirements and signer of a package at a path, an address or a name without installing it.',
    { body: z.strictObject({ path: pathSchema }), response: inspectedSchema },
  ),
  inspectUpload: defineEndpoint(
    'POST /packages/inspect-upload',
    'Shows the contents and requirements of an uploaded archive without installing it.',
    {
      query: z.strictObject({ name: z.optional(z.string().check(z.minLength(1), z.maxLength(255))) }),
      acceptsBytes: true,
      maxBytes: MAX_UPLOAD_BYTES,
      response: inspectedSchema,
    },
  ),
  examples: defineEndpoint('GET /examples', 'Lists the example packages that come with the program.', {
    response: z.strictObject({ examples: z.array(shownExampleSchema) }),
  }),
  gallery: defineEndpoint(
    'GET /gallery',
    'Installed packages and examples to choose from, with titles; with details also their graphs, and how earlier runs went.',
    {
      query: z.strictObject({ details: z.optional(flagSchema) }),
      response: z.strictObject({ cards: z.array(galleryCardSchema) }),
    },
  ),
  installExample: defineEndpoint('POST /examples/:example/install', 'Installs an example package.', {
    response: importedSchema,
    status: 201,
  }),
  users: defineEndpoint('GET /packages/:hash/users', 'Shows what uses a package.', {
    response: z.strictObject({
      /** Unfinished runs. */
      runs: z.int(),
      /** Conversations with an agent of the package. */
      conversations: z.int(),
      /** Names of their projects. */
      projects: z.array(z.string()),
    }),
  }),
  show: defineEndpoint('GET /packages/:hash', 'Shows the contents and requirements of a package.', {
    response: z.strictObject({
      package: installedPackageSchema,
      /** Where it was installed from. */
      source: z.optional(z.string()),
      signer: signerSchema,
      ...contentsShape,
    }),
  }),
  validation: defineEndpoint('GET /packages/:hash/validation', 'Validates an installed package.', {
    response: validationReportSchema,
  }),
  graph: defineEndpoint(
    'GET /packages/:hash/graph',
    'Shows the graph of a workflow; default: the entry workflow.',
    { query: workflowQuery, response: shownGraphSchema },
  ),
  node: defineEndpoint(
    'GET /packages/:hash/nodes/:nodeId',
    'Shows a node of a workflow with the text of its step.',
    { query: workflowQuery, response: z.strictObject({ node: shownNodeSchema, text: z.string() }) },
  ),
  prompt: defineEndpoint(
    'GET /packages/:hash/nodes/:nodeId/prompt',
    'Shows what a model is sent first at a node, without sending it.',
    { query: workflowQuery, response: shownPromptSchema },
  ),
  remove: defineEndpoint(
    'DELETE /packages/:hash',
    'Removes a package; rejected while an unfinished run needs it, unless forced.',
    { query: z.strictObject({ force: z.optional(flagSchema) }) },
  ),
};
