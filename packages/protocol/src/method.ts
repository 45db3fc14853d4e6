/** Frontmatter of a method: a package that is written as one Markdown file. */
import { menuItemSchema, promptSchema } from './agents.ts';
import { freeObjectSchema, identifierSchema } from './format.ts';
import { workflowProofShape } from './proof.ts';
import { nonEmptySchema } from './scalars.ts';
import * as z from './zod.ts';

const methodAgentSchema = z.strictObject({
  id: z.optional(identifierSchema),
  name: nonEmptySchema,
  title: z.optional(nonEmptySchema),
  icon: z.optional(nonEmptySchema),
  role: z.optional(nonEmptySchema),
  identity: z.optional(nonEmptySchema),
  style: z.optional(nonEmptySchema),
  principles: z.optional(z.union([nonEmptySchema, z.array(nonEmptySchema).check(z.minLength(1))])),
  menu: z.optional(z.array(menuItemSchema)),
  prompts: z.optional(z.array(promptSchema)),
});

export const methodSchema = z.strictObject({
  name: nonEmptySchema,
  title: z.optional(nonEmptySchema),
  version: z.optional(z.string()),
  description: z.optional(z.string()),
  author: z.optional(z.string()),
  agent: z.optional(methodAgentSchema),
  agents: z.optional(z.array(methodAgentSchema).check(z.minLength(1))),
  /** Typed inputs of the workflow. */
  inputs: z.optional(z.array(freeObjectSchema)),
  result: z.optional(nonEmptySchema),
  ...workflowProofShape,
});
export type MethodFrontmatter = z.infer<typeof methodSchema>;
export type MethodAgent = z.infer<typeof methodAgentSchema>;
