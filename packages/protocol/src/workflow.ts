/**
 * The three documents of one workflow: its graph (the authority on order), the frontmatter of `workflow.md`
 * (the template of a run's state) and the frontmatter of a step.
 */

import {
  dateTimeSchema,
  freeObjectSchema,
  identifierSchema,
  nonEmptySchema,
  schemaReferenceSchema,
  schemaVersionSchema,
} from './format.ts';
import * as z from './zod.ts';

export const nodeTypeSchema = z.enum(['step', 'decision', 'merge', 'end', 'subworkflow']);

const graphNodeSchema = z.strictObject({
  id: identifierSchema,
  type: nodeTypeSchema,
  file: nonEmptySchema.meta({ description: 'Path of the step file, from the root of the package.' }),
  title: z.string().optional(),
  description: z.string().optional(),
  agentId: z.string().optional(),
  inputs: z.array(z.string()).optional(),
  outputs: z.array(z.string()).optional(),
});

const graphEdgeSchema = z.strictObject({
  id: z.string().optional(),
  from: identifierSchema,
  to: identifierSchema,
  label: nonEmptySchema,
  isDefault: z.boolean().default(false),
  conditionText: z.string().optional(),
  conditionExpr: freeObjectSchema.optional().meta({ description: 'A JSONLogic rule over {variables}.' }),
});

export const workflowGraphSchema = z
  .strictObject({
    $schema: schemaReferenceSchema,
    schemaVersion: schemaVersionSchema,
    entryNodeId: identifierSchema,
    nodes: z.array(graphNodeSchema).min(1),
    edges: z.array(graphEdgeSchema),
    metadata: freeObjectSchema.optional(),
  })
  .meta({ title: 'Graph of a workflow (workflow.graph.json)' });

export const decisionSchema = z.strictObject({
  from: z.string(),
  to: z.string(),
  label: z.string(),
  reason: z.string().optional(),
  decidedAt: dateTimeSchema.optional(),
});

/** A call of a sub-workflow that is under way: the workflow that was called, from which node, and the run that follows it. */
const callStackEntrySchema = z.strictObject({
  workflow: z.string(),
  nodeId: z.string(),
  childId: z.string().optional(),
});
export type CallStackEntry = z.infer<typeof callStackEntrySchema>;

export const workflowFrontmatterSchema = z
  .looseObject({
    schemaVersion: schemaVersionSchema,
    workflowType: nonEmptySchema,
    currentNodeId: z.string().meta({ description: 'Empty means the entry node of the graph.' }),
    stepsCompleted: z.array(z.string()),
    runId: z.string().optional(),
    project_name: z.string().optional(),
    user_name: z.string().optional(),
    date: z.string().optional(),
    updatedAt: dateTimeSchema.optional(),
    variables: freeObjectSchema.default({}),
    decisionLog: z.array(decisionSchema).default([]),
    artifacts: z.array(z.string()).default([]),
    activeAgentId: z.string().optional(),
    workflowRef: z.string().optional(),
    inputDocuments: z.array(z.string()).default([]),
    callStack: z.array(callStackEntrySchema).default([]),
  })
  .meta({ title: 'Frontmatter of workflow.md' });

/** The state patch that models send: `append` to lists, `set` values. */
export const stateUpdateSchema = z.strictObject({
  stepsCompleted: z.strictObject({ append: z.array(z.string()) }).optional(),
  variables: z.strictObject({ set: freeObjectSchema }).optional(),
  decisionLog: z.strictObject({ append: z.array(decisionSchema) }).optional(),
  artifacts: z.strictObject({ append: z.array(z.string()) }).optional(),
  inputDocuments: z.strictObject({ append: z.array(z.string()) }).optional(),
  currentNodeId: z.strictObject({ set: z.string() }).optional(),
  updatedAt: z.strictObject({ set: dateTimeSchema }).optional(),
});

const transitionSchema = z.strictObject({
  to: z.string(),
  label: z.string(),
  isDefault: z.boolean().default(false),
  conditionText: z.string().optional(),
});

export const stepFrontmatterSchema = z
  .looseObject({
    schemaVersion: schemaVersionSchema,
    nodeId: identifierSchema,
    type: nodeTypeSchema,
    title: z.string().optional(),
    agentId: z.string().optional(),
    inputs: z.array(z.string()).default([]),
    outputs: z.array(z.string()).default([]),
    setsVariables: z.array(z.string()).default([]),
    transitions: z.array(transitionSchema).default([]),
    subworkflow: z.string().optional().meta({
      description:
        'The workflow that this node calls: path of its workflow.md from the folder of this workflow, or its id in bmad.json.',
    }),
    passContext: z.boolean().optional().meta({
      description: 'Whether the called workflow gets the input documents, artifacts and variables.',
    }),
    returns: z
      .array(z.string())
      .optional()
      .meta({ description: 'Variables of the called workflow that come back, under the id of this node.' }),
  })
  .meta({ title: 'Frontmatter of a step' });

export type StateUpdate = z.infer<typeof stateUpdateSchema>;
export type Decision = z.infer<typeof decisionSchema>;
export type NodeType = z.infer<typeof nodeTypeSchema>;
export type GraphNode = z.infer<typeof graphNodeSchema>;
export type GraphEdge = z.infer<typeof graphEdgeSchema>;
export type WorkflowGraph = z.infer<typeof workflowGraphSchema>;
export type WorkflowFrontmatter = z.infer<typeof workflowFrontmatterSchema>;
export type StepFrontmatter = z.infer<typeof stepFrontmatterSchema>;
