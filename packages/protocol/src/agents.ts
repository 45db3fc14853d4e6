/**
 * `agents.json`: the personas of a package, their prompts and menus, and how each restricts the tool policy.
 */

import {
  freeObjectSchema,
  identifierSchema,
  limitSchema,
  nonEmptySchema,
  schemaReferenceSchema,
  schemaVersionSchema,
} from './format.ts';
import * as z from './zod.ts';

const metadataSchema = z.strictObject({
  name: nonEmptySchema.meta({ description: 'The name the persona goes by.' }),
  title: nonEmptySchema.meta({ description: 'What the persona is, for example "Scrum Master".' }),
  icon: nonEmptySchema.meta({ description: 'An emoji or a short sign.' }),
  module: z.string().optional(),
  description: z.string().optional(),
  sourceId: z.string().optional(),
});

const personaSchema = z.strictObject({
  role: nonEmptySchema,
  identity: nonEmptySchema,
  communication_style: nonEmptySchema,
  principles: z.union([nonEmptySchema, z.array(nonEmptySchema).min(1)]),
});

const promptSchema = z.strictObject({
  id: nonEmptySchema.meta({ description: 'A menu action "#id" runs this prompt.' }),
  content: nonEmptySchema,
  description: z.string().optional(),
});

/** A menu item may have other keys (`cmd`, `id`, …); the command router receives them unchanged. */
const menuItemSchema = z.looseObject({
  trigger: z.string().optional(),
  triggers: z.array(freeObjectSchema).optional(),
  description: nonEmptySchema,
  workflow: z.string().optional(),
  exec: z.string().optional(),
  action: z.string().optional(),
  data: z.string().optional(),
  'validate-workflow': z.string().optional(),
  'ide-only': z.boolean().optional(),
  'web-only': z.boolean().optional(),
});

const agentToolsSchema = z.strictObject({
  fs: z
    .strictObject({
      enabled: z.boolean().default(true),
      maxReadBytes: limitSchema.optional(),
      maxWriteBytes: limitSchema.optional(),
    })
    .optional(),
  mcp: z
    .strictObject({
      enabled: z.boolean().default(false),
      allowedServers: z.array(z.string()).optional(),
    })
    .optional(),
});

const agentSchema = z.strictObject({
  id: identifierSchema,
  metadata: metadataSchema,
  persona: personaSchema,
  critical_actions: z.array(nonEmptySchema).optional(),
  prompts: z.array(promptSchema).optional(),
  menu: z.array(menuItemSchema).optional(),
  systemPrompt: z.string().optional(),
  userPromptTemplate: z.string().optional(),
  discussion: z.boolean().optional(),
  webskip: z.boolean().optional(),
  conversational_knowledge: z.array(freeObjectSchema).optional(),
  tools: agentToolsSchema.optional(),
});

export const agentsDocumentSchema = z
  .strictObject({
    $schema: schemaReferenceSchema,
    schemaVersion: schemaVersionSchema,
    agents: z.array(agentSchema).min(1),
  })
  .meta({ title: 'Agents of a package (agents.json)' });

export type AgentsDocument = z.infer<typeof agentsDocumentSchema>;
export type AgentDefinition = z.infer<typeof agentSchema>;
export type MenuItem = z.infer<typeof menuItemSchema>;
