/**
 * Editing a package folder: the edits an author makes, and the package as an editor shows it. The files are the truth: an edit
 * names what to change in them, and everything else in them stays as it is.
 */
import { diagnosticSchema } from './diagnostics.ts';
import { freeObjectSchema, identifierSchema } from './format.ts';
import { nonEmptySchema, sha256Schema } from './scalars.ts';
import { nodeTypeSchema } from './workflow.ts';
import * as z from './zod.ts';

/** Longest text file that is edited. */
export const MAX_AUTHOR_TEXT = 1024 * 1024;

/** Path of a file in the package. */
const packagePathSchema = nonEmptySchema.check(z.maxLength(1_024));

const newIdSchema = identifierSchema.check(z.maxLength(100));
const textListSchema = z.array(z.string());

/** A workflow is named by the path of its graph. */
const inGraph = { graph: packagePathSchema };
const atNode = { ...inGraph, nodeId: z.string() };
/** An edge is named by its index in the graph. */
const atEdge = { ...inGraph, edge: z.int().check(z.minimum(0)) };

/** `null` removes a value. */
function field<S extends z.ZodMiniType>(schema: S) {
  return z.optional(z.nullable(schema));
}

const edgeFieldsSchema = z.strictObject({
  to: z.optional(z.string()),
  label: z.optional(nonEmptySchema),
  isDefault: field(z.boolean()),
  conditionText: field(z.string()),
  conditionExpr: field(freeObjectSchema),
});

const agentFieldsSchema = z.strictObject({
  metadata: z.optional(z.record(z.string(), z.nullable(z.unknown()))),
  persona: z.optional(z.record(z.string(), z.nullable(z.unknown()))),
  critical_actions: field(textListSchema),
  prompts: field(z.array(freeObjectSchema)),
  menu: field(z.array(freeObjectSchema)),
  systemPrompt: field(z.string()),
  tools: field(freeObjectSchema),
});

export const authorEditSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('addNode'),
    ...inGraph,
    id: newIdSchema,
    type: nodeTypeSchema,
    title: z.optional(z.string()),
    agentId: z.optional(z.string()),
    /** An edge leads from this node to the new one. */
    after: z.optional(z.strictObject({ nodeId: z.string(), label: nonEmptySchema })),
  }),
  z.strictObject({
    kind: z.literal('renameNode'),
    ...atNode,
    to: newIdSchema,
    /** Also where the texts of the workflow mention the id. */
    inTexts: z.optional(z.boolean()),
  }),
  z.strictObject({
    kind: z.literal('setNode'),
    ...atNode,
    fields: z.strictObject({
      type: z.optional(nodeTypeSchema),
      title: field(z.string()),
      description: field(z.string()),
      agentId: field(z.string()),
      inputs: field(textListSchema),
      outputs: field(textListSchema),
    }),
  }),
  /** Keys of the step's frontmatter that the graph does not have: `waits`, `produces`, `setsVariables`, … */
  z.strictObject({ kind: z.literal('setStep'), ...atNode, keys: z.record(z.string(), z.unknown()) }),
  z.strictObject({
    kind: z.literal('deleteNode'),
    ...atNode,
    /** Also removes the file of its step, unless another node uses it. */
    removesFile: z.boolean(),
  }),
  z.strictObject({
    kind: z.literal('duplicateNode'),
    ...atNode,
    id: newIdSchema,
    title: z.optional(z.string()),
  }),
  z.strictObject({ kind: z.literal('setEntry'), ...atNode }),
  z.strictObject({
    kind: z.literal('connect'),
    ...inGraph,
    from: z.string(),
    to: z.string(),
    label: nonEmptySchema,
  }),
  z.strictObject({ kind: z.literal('setEdge'), ...atEdge, fields: edgeFieldsSchema }),
  z.strictObject({ kind: z.literal('disconnect'), ...atEdge }),
  z.strictObject({
    kind: z.literal('addAgent'),
    id: newIdSchema,
    name: nonEmptySchema,
    title: nonEmptySchema,
    icon: nonEmptySchema,
  }),
  z.strictObject({ kind: z.literal('renameAgent'), agentId: z.string(), to: newIdSchema }),
  z.strictObject({ kind: z.literal('setAgent'), agentId: z.string(), fields: agentFieldsSchema }),
  z.strictObject({ kind: z.literal('deleteAgent'), agentId: z.string() }),
  z.strictObject({
    kind: z.literal('setText'),
    file: packagePathSchema,
    text: z.string().check(z.maxLength(MAX_AUTHOR_TEXT)),
  }),
]);
export type AuthorEdit = z.infer<typeof authorEditSchema>;
export type AuthorEditOf<Kind extends AuthorEdit['kind']> = Extract<AuthorEdit, { kind: Kind }>;

const authorNodeSchema = z.strictObject({
  id: z.string(),
  type: nodeTypeSchema,
  /** Of its step. */
  file: z.string(),
  title: z.optional(z.string()),
  description: z.optional(z.string()),
  agentId: z.optional(z.string()),
  inputs: textListSchema,
  outputs: textListSchema,
  setsVariables: textListSchema,
  /** The frontmatter of the step; missing if it cannot be read. */
  step: z.optional(freeObjectSchema),
});
export type AuthorNode = z.infer<typeof authorNodeSchema>;

const authorEdgeSchema = z.strictObject({
  from: z.string(),
  to: z.string(),
  label: z.string(),
  isDefault: z.boolean(),
  conditionText: z.optional(z.string()),
  conditionExpr: z.optional(freeObjectSchema),
});
export type AuthorEdge = z.infer<typeof authorEdgeSchema>;

const authorWorkflowSchema = z.strictObject({
  /** Path of the graph. */
  graph: z.string(),
  /** Path of the workflow.md. */
  document: z.string(),
  title: z.string(),
  entryNodeId: z.string(),
  nodes: z.array(authorNodeSchema),
  edges: z.array(authorEdgeSchema),
  /** Variables that its document declares. */
  variables: textListSchema,
});
export type AuthorWorkflow = z.infer<typeof authorWorkflowSchema>;

/** An agent as it is written, so that a form keeps what it does not show. */
const authorAgentSchema = z.strictObject({ id: z.string(), value: freeObjectSchema });
export type AuthorAgent = z.infer<typeof authorAgentSchema>;

const authorFileSchema = z.strictObject({
  path: z.string(),
  sha256: sha256Schema,
  /** Whether its text can be edited here. */
  isText: z.boolean(),
});

export const authorModelSchema = z.strictObject({
  name: z.string(),
  version: z.string(),
  /** Written in one file, which is edited as text. */
  isMethod: z.boolean(),
  /** Path of agents.json. */
  agentsFile: z.string(),
  agents: z.array(authorAgentSchema),
  workflows: z.array(authorWorkflowSchema),
  /** Names of the tools that steps may use. */
  tools: textListSchema,
  files: z.array(authorFileSchema),
  /** Errors and warnings, then advice. */
  findings: z.array(diagnosticSchema),
  canUndo: z.boolean(),
  canRedo: z.boolean(),
});
export type AuthorModel = z.infer<typeof authorModelSchema>;
