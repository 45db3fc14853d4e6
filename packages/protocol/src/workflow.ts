/**
 * The three documents of one workflow: its graph (the authority on order), the frontmatter of `workflow.md`
 * (the template of a run's state) and the frontmatter of a step.
 */

import {
  dateTimeSchema,
  freeObjectSchema,
  identifierSchema,
  schemaReferenceSchema,
  schemaVersionSchema,
} from './format.ts';
import { proofShape, workflowProofShape } from './proof.ts';
import { nonEmptySchema } from './scalars.ts';
import * as z from './zod.ts';

export const nodeTypeSchema = z.enum(['step', 'decision', 'merge', 'end', 'subworkflow']);

const graphNodeSchema = z.strictObject({
  id: identifierSchema,
  type: nodeTypeSchema,
  file: nonEmptySchema.check(z.meta({ description: 'Path of the step file, from the root of the package.' })),
  title: z.optional(z.string()),
  description: z.optional(z.string()),
  agentId: z.optional(z.string()),
  inputs: z.optional(z.array(z.string())),
  outputs: z.optional(z.array(z.string())),
});

const graphEdgeSchema = z.strictObject({
  id: z.optional(z.string()),
  from: identifierSchema,
  to: identifierSchema,
  label: nonEmptySchema,
  isDefault: z._default(z.boolean(), false),
  conditionText: z.optional(z.string()),
  conditionExpr: z
    .optional(freeObjectSchema)
    .check(z.meta({ description: 'A JSONLogic rule over {variables}.' })),
});

export const workflowGraphSchema = z
  .strictObject({
    $schema: schemaReferenceSchema,
    schemaVersion: schemaVersionSchema,
    entryNodeId: identifierSchema,
    nodes: z.array(graphNodeSchema).check(z.minLength(1)),
    edges: z.array(graphEdgeSchema),
    metadata: z.optional(freeObjectSchema),
  })
  .check(z.meta({ title: 'Graph of a workflow (workflow.graph.json)' }));

export const decisionSchema = z.strictObject({
  from: z.string(),
  to: z.string(),
  label: z.string(),
  reason: z.optional(z.string()),
  decidedAt: z.optional(dateTimeSchema),
});

/** A call of a sub-workflow that is under way: the workflow that was called, from which node, and the run that follows it. */
const callStackEntrySchema = z.strictObject({
  workflow: z.string(),
  nodeId: z.string(),
  childId: z.optional(z.string()),
});
export type CallStackEntry = z.infer<typeof callStackEntrySchema>;

export const workflowFrontmatterSchema = z
  .looseObject({
    schemaVersion: schemaVersionSchema,
    workflowType: nonEmptySchema,
    currentNodeId: z
      ._default(z.string(), '')
      .check(z.meta({ description: 'Empty means the entry node of the graph.' })),
    stepsCompleted: z.array(z.string()),
    runId: z.optional(z.string()),
    project_name: z.optional(z.string()),
    user_name: z.optional(z.string()),
    date: z.optional(z.string()),
    updatedAt: z.optional(dateTimeSchema),
    variables: z._default(freeObjectSchema, {}),
    decisionLog: z._default(z.array(decisionSchema), []),
    artifacts: z._default(z.array(z.string()), []),
    activeAgentId: z.optional(z.string()),
    workflowRef: z.optional(z.string()),
    inputDocuments: z._default(z.array(z.string()), []),
    callStack: z._default(z.array(callStackEntrySchema), []),
    result: z.optional(nonEmptySchema).check(
      z.meta({
        description:
          'The file of the project that a person reads first when a run is complete; {variables} are filled in.',
      }),
    ),
    ...workflowProofShape,
  })
  .check(z.meta({ title: 'Frontmatter of workflow.md' }));

/** The state patch that models send: `append` to lists, `set` values. */
export const stateUpdateSchema = z.strictObject({
  stepsCompleted: z.optional(z.strictObject({ append: z.array(z.string()) })),
  variables: z.optional(z.strictObject({ set: freeObjectSchema })),
  decisionLog: z.optional(z.strictObject({ append: z.array(decisionSchema) })),
  artifacts: z.optional(z.strictObject({ append: z.array(z.string()) })),
  inputDocuments: z.optional(z.strictObject({ append: z.array(z.string()) })),
  currentNodeId: z.optional(z.strictObject({ set: z.string() })),
  updatedAt: z.optional(z.strictObject({ set: dateTimeSchema })),
});

const transitionSchema = z.strictObject({
  to: z.string(),
  label: z.string(),
  isDefault: z._default(z.boolean(), false),
  conditionText: z.optional(z.string()),
});

export const stepFrontmatterSchema = z
  .looseObject({
    schemaVersion: schemaVersionSchema,
    nodeId: identifierSchema,
    type: nodeTypeSchema,
    title: z.optional(z.string()),
    agentId: z.optional(z.string()),
    inputs: z._default(z.array(z.string()), []),
    outputs: z._default(z.array(z.string()), []),
    setsVariables: z._default(z.array(z.string()), []),
    transitions: z._default(z.array(transitionSchema), []),
    subworkflow: z.optional(z.string()).check(
      z.meta({
        description:
          'The workflow that this node calls: path of its workflow.md from the folder of this workflow, or its id in bmad.json.',
      }),
    ),
    passContext: z.optional(z.boolean()).check(
      z.meta({
        description: 'Whether the called workflow gets the input documents, artifacts and variables.',
      }),
    ),
    returns: z.optional(z.array(z.string())).check(
      z.meta({
        description: 'Variables of the called workflow that come back, under the id of this node.',
      }),
    ),
    ...proofShape,
  })
  .check(z.meta({ title: 'Frontmatter of a step' }));

export type StateUpdate = z.infer<typeof stateUpdateSchema>;
export type Decision = z.infer<typeof decisionSchema>;
export type NodeType = z.infer<typeof nodeTypeSchema>;
export type GraphNode = z.infer<typeof graphNodeSchema>;
export type GraphEdge = z.infer<typeof graphEdgeSchema>;
export type WorkflowGraph = z.infer<typeof workflowGraphSchema>;
export type WorkflowFrontmatter = z.infer<typeof workflowFrontmatterSchema>;
export type StepFrontmatter = z.infer<typeof stepFrontmatterSchema>;
