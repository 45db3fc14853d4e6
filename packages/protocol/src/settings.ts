/**
 * `settings.json`: a person's decisions for all runs. Never contains a secret.
 */

import { limitSchema } from './format.ts';
import { mcpSettingsSchema } from './mcp.ts';
import { keyNameSchema, modelSettingsSchema } from './model.ts';
import { toolSettingsSchema } from './tools.ts';
import { inputSettingsSchema } from './typed-inputs.ts';
import * as z from './zod.ts';

/** Limits pause a run; they never fail it. */
export const runLimitsSchema = z.strictObject({
  /** Turns since the last input or transition. */
  maxTurns: limitSchema.default(50),
  maxTokens: limitSchema.optional(),
  maxCostUsd: z.number().positive().optional(),
  maxMinutes: z.number().positive().optional(),
});
export type RunLimits = z.infer<typeof runLimitsSchema>;

/** How much of a run is sent to the model: the messages of the current node, or all of them. */
export const contextScopeSchema = z.enum(['node', 'run']);
export type ContextScope = z.infer<typeof contextScopeSchema>;

/** The person models talk to. Omitted fields come from the account and language of the machine. */
export const personSchema = z.strictObject({
  name: z.string().trim().max(200).optional(),
  /** Language of replies: a name, or a tag such as `zh-CN`. */
  language: z.string().trim().max(100).optional(),
  /** Language of documents; default: `language`. */
  documentLanguage: z.string().trim().max(100).optional(),
});
export type Person = z.infer<typeof personSchema>;

const profileNameSchema = z.string().regex(/^[A-Za-z0-9][\w.:-]{0,63}$/);
const modelNamesSchema = z.record(z.string().min(1).max(200), z.string().min(1)).default({});

export const settingsSchema = z.strictObject({
  schemaVersion: z.literal(1).default(1),
  models: z.record(profileNameSchema, modelSettingsSchema).default({}),
  /** For models with several API keys, by the name of the model. The keys themselves are in the secret store. */
  modelKeys: z
    .record(
      profileNameSchema,
      z.strictObject({
        /** Name of the key that is used; default: the first one. */
        use: keyNameSchema.optional(),
        /** Whether the next key is used when this one is refused or has no quota left. */
        useNext: z.boolean().optional(),
      }),
    )
    .default({}),
  /** A key of `models`, or `rehearsal`. */
  defaultModel: z.string().optional(),
  /** Models for particular work; each is a key of `models`. What is named here goes before the default. */
  modelFor: z
    .strictObject({
      /** By the id of the project. */
      projects: modelNamesSchema,
      /** By the id of the agent, and of the node of a workflow: often a cheaper model. */
      agents: modelNamesSchema,
      nodes: modelNamesSchema,
    })
    .prefault({}),
  tools: toolSettingsSchema.prefault({}),
  mcp: mcpSettingsSchema.prefault({}),
  context: z.strictObject({ scope: contextScopeSchema.default('node') }).prefault({}),
  limits: runLimitsSchema.prefault({}),
  person: personSchema.prefault({}),
  /** Answers to the questions that workflows ask once. */
  inputs: inputSettingsSchema.prefault({}),
});
export type Settings = z.infer<typeof settingsSchema>;
