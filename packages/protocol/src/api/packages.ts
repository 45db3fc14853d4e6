/**
 * Packages over HTTP: install, inspect, remove.
 */
import { diagnosticSchema, validationReportSchema } from '../diagnostics.ts';
import { installedPackageSchema } from '../installed-package.ts';
import { nodeTypeSchema, workflowGraphSchema } from '../workflow.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { flagSchema, packageHashSchema, pathSchema } from './ids.ts';

const params = z.strictObject({ hash: packageHashSchema });
const workflowQuery = z.strictObject({ workflow: z.optional(z.string()) });

export const importedSchema = z.strictObject({
  package: installedPackageSchema,
  alreadyInstalled: z.boolean(),
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
  requiresNetwork: z.boolean(),
  agents: z.array(shownAgentSchema),
  /** The entry workflow first. */
  workflows: z.array(shownWorkflowSchema),
};

export const inspectedSchema = z.strictObject({
  report: validationReportSchema,
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
  version: z.string(),
  description: z.optional(z.string()),
  /** Set if the example is already installed. */
  installedHash: z.optional(packageHashSchema),
});
export type ShownExample = z.infer<typeof shownExampleSchema>;

export const packages = {
  list: defineEndpoint({
    method: 'GET',
    path: '/packages',
    summary: 'All installed packages.',
    response: z.strictObject({ packages: z.array(installedPackageSchema) }),
  }),
  importPath: defineEndpoint({
    method: 'POST',
    path: '/packages',
    summary: 'Installs an archive or folder of this machine.',
    body: z.strictObject({ path: pathSchema }),
    response: importedSchema,
    status: 201,
  }),
  upload: defineEndpoint({
    method: 'POST',
    path: '/packages/upload',
    summary: 'Installs an uploaded archive.',
    query: z.strictObject({ name: z.optional(z.string().check(z.minLength(1), z.maxLength(255))) }),
    acceptsBytes: true,
    maxBytes: MAX_UPLOAD_BYTES,
    response: importedSchema,
    status: 201,
  }),
  validate: defineEndpoint({
    method: 'POST',
    path: '/packages/validate',
    summary: 'Validates an archive or folder of this machine without installing it.',
    body: z.strictObject({ path: pathSchema }),
    response: validationReportSchema,
  }),
  inspect: defineEndpoint({
    method: 'POST',
    path: '/packages/inspect',
    summary:
      'Shows the contents and requirements of an archive or folder of this machine without installing it.',
    body: z.strictObject({ path: pathSchema }),
    response: inspectedSchema,
  }),
  inspectUpload: defineEndpoint({
    method: 'POST',
    path: '/packages/inspect-upload',
    summary: 'Shows the contents and requirements of an uploaded archive without installing it.',
    query: z.strictObject({ name: z.optional(z.string().check(z.minLength(1), z.maxLength(255))) }),
    acceptsBytes: true,
    maxBytes: MAX_UPLOAD_BYTES,
    response: inspectedSchema,
  }),
  examples: defineEndpoint({
    method: 'GET',
    path: '/examples',
    summary: 'Lists the example packages that come with the program.',
    response: z.strictObject({ examples: z.array(shownExampleSchema) }),
  }),
  installExample: defineEndpoint({
    method: 'POST',
    path: '/examples/:example/install',
    summary: 'Installs an example package.',
    params: z.strictObject({ example: z.string().check(z.regex(/^[a-z0-9][a-z0-9.-]{0,99}$/)) }),
    response: importedSchema,
    status: 201,
  }),
  users: defineEndpoint({
    method: 'GET',
    path: '/packages/:hash/users',
    summary: 'Shows what uses a package.',
    params,
    response: z.strictObject({
      /** Unfinished runs. */
      runs: z.int(),
      /** Conversations with an agent of the package. */
      conversations: z.int(),
      /** Names of their projects. */
      projects: z.array(z.string()),
    }),
  }),
  show: defineEndpoint({
    method: 'GET',
    path: '/packages/:hash',
    summary: 'Shows the contents and requirements of a package.',
    params,
    response: z.strictObject({
      package: installedPackageSchema,
      ...contentsShape,
    }),
  }),
  validation: defineEndpoint({
    method: 'GET',
    path: '/packages/:hash/validation',
    summary: 'Validates an installed package.',
    params,
    response: validationReportSchema,
  }),
  graph: defineEndpoint({
    method: 'GET',
    path: '/packages/:hash/graph',
    summary: 'Shows the graph of a workflow; default: the entry workflow.',
    params,
    query: workflowQuery,
    response: shownGraphSchema,
  }),
  node: defineEndpoint({
    method: 'GET',
    path: '/packages/:hash/nodes/:nodeId',
    summary: 'Shows a node of a workflow with the text of its step.',
    params: z.strictObject({
      hash: packageHashSchema,
      nodeId: z.string().check(z.minLength(1), z.maxLength(200)),
    }),
    query: workflowQuery,
    response: z.strictObject({ node: shownNodeSchema, text: z.string() }),
  }),
  remove: defineEndpoint({
    method: 'DELETE',
    path: '/packages/:hash',
    summary: 'Removes a package; rejected while an unfinished run needs it, unless forced.',
    params,
    query: z.strictObject({ force: z.optional(flagSchema) }),
  }),
};
