/**
 * `agents.json`: the personas of a package, their prompts and menus, and how each restricts the tool policy.
 */

import {
  freeObjectSchema,
  identifierSchema,
  limitSchema,
  schemaReferenceSchema,
  schemaVersionSchema,
} from './format.ts';
import { nonEmptySchema } from './scalars.ts';
import * as z from './zod.ts';

const metadataSchema = z.strictObject({
  name: nonEmptySchema.check(z.meta({ description: 'The name the persona goes by.' })),
  title: nonEmptySchema.check(z.meta({ description: 'What the persona is, for example "Scrum Master".' })),
  icon: nonEmptySchema.check(z.meta({ description: 'An emoji or a short sign.' })),
  module: z.optional(z.string()),
  description: z.optional(z.string()),
  sourceId: z.optional(z.string()),
});

const personaSchema = z.strictObject({
  role: nonEmptySchema,
  identity: nonEmptySchema,
  communication_style: nonEmptySchema,
  principles: z.union([nonEmptySchema, z.array(nonEmptySchema).check(z.minLength(1))]),
});

export const promptSchema = z.strictObject({
  id: nonEmptySchema.check(z.meta({ description: 'A menu action "#id" runs this prompt.' })),
  content: nonEmptySchema,
  description: z.optional(z.string()),
});

/** A menu item may have other keys (`cmd`, `id`, …); the command router receives them unchanged. */
export const menuItemSchema = z.looseObject({
  trigger: z.optional(z.string()),
  triggers: z.optional(z.array(freeObjectSchema)),
  description: nonEmptySchema,
  workflow: z.optional(z.string()),
  exec: z.optional(z.string()),
  action: z.optional(z.string()),
  data: z.optional(z.string()),
  'validate-workflow': z.optional(z.string()),
  'ide-only': z.optional(z.boolean()),
  'web-only': z.optional(z.boolean()),
});

const agentToolsSchema = z.strictObject({
  fs: z.optional(
    z.strictObject({
      enabled: z._default(z.boolean(), true),
      maxReadBytes: z.optional(limitSchema),
      maxWriteBytes: z.optional(limitSchema),
    }),
  ),
  mcp: z.optional(
    z.strictObject({
      enabled: z._default(z.boolean(), false),
      allowedServers: z.optional(z.array(z.string())),
    }),
  ),
});

const agentSchema = z.strictObject({
  id: identifierSchema,
  metadata: metadataSchema,
  persona: personaSchema,
  critical_actions: z.optional(z.array(nonEmptySchema)),
  prompts: z.optional(z.array(promptSchema)),
  menu: z.optional(z.array(menuItemSchema)),
  systemPrompt: z.optional(z.string()),
  systemPromptMode: z
    .optional(z.enum(['add', 'replace']))
    .check(z.meta({ description: 'Whether systemPrompt follows the persona (default) or replaces it.' })),
  userPromptTemplate: z.optional(z.string()),
  discussion: z.optional(z.boolean()),
  webskip: z.optional(z.boolean()),
  conversational_knowledge: z.optional(z.array(freeObjectSchema)),
  tools: z.optional(agentToolsSchema),
});

export const agentsDocumentSchema = z
  .strictObject({
    $schema: schemaReferenceSchema,
    schemaVersion: schemaVersionSchema,
    agents: z.array(agentSchema).check(z.minLength(1)),
  })
  .check(z.meta({ title: 'Agents of a package (agents.json)' }));

export type AgentsDocument = z.infer<typeof agentsDocumentSchema>;
export type AgentDefinition = z.infer<typeof agentSchema>;
export type MenuItem = z.infer<typeof menuItemSchema>;
