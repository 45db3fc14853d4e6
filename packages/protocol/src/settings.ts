/**
 * `settings.json`: a person's decisions for all runs. Never contains a secret.
 */

import { limitSchema } from './format.ts';
import { hooksSchema } from './hooks.ts';
import { mcpSettingsSchema } from './mcp.ts';
import { keyNameSchema, modelSettingsSchema } from './model.ts';
import { nonEmptySchema } from './scalars.ts';
import { toolSettingsSchema } from './tools.ts';
import { inputSettingsSchema } from './typed-inputs.ts';
import * as z from './zod.ts';

/** Limits pause a run; they never fail it. */
export const runLimitsSchema = z.strictObject({
  /** Turns since the last input or transition. */
  maxTurns: z._default(limitSchema, 50),
  maxTokens: z.optional(limitSchema),
  maxCostUsd: z.optional(z.number().check(z.positive())),
  maxMinutes: z.optional(z.number().check(z.positive())),
});
export type RunLimits = z.infer<typeof runLimitsSchema>;

/** How much of a run is sent to the model: the messages of the current node, or all of them. */
export const contextScopeSchema = z.enum(['node', 'run']);
export type ContextScope = z.infer<typeof contextScopeSchema>;

export const DEFAULT_PREFETCH_BYTES = 16_384;

/** How much of the files that a node needs is sent with it; 0: nothing. */
export const prefetchBytesSchema = z.int().check(z.minimum(0), z.maximum(262_144));

/** The person models talk to. Omitted fields come from the account and language of the machine. */
export const personSchema = z.strictObject({
  name: z.optional(z.string().check(z.trim(), z.maxLength(200))),
  /** Language of replies: a name, or a tag such as `zh-CN`. */
  language: z.optional(z.string().check(z.trim(), z.maxLength(100))),
  /** Language of documents; default: `language`. */
  documentLanguage: z.optional(z.string().check(z.trim(), z.maxLength(100))),
});
export type Person = z.infer<typeof personSchema>;

const profileNameSchema = z.string().check(z.regex(/^[A-Za-z0-9][\w.:-]{0,63}$/));
const modelNamesSchema = z._default(
  z.record(z.string().check(z.minLength(1), z.maxLength(200)), nonEmptySchema),
  {},
);

export const settingsSchema = z.strictObject({
  schemaVersion: z._default(z.literal(1), 1),
  models: z._default(z.record(profileNameSchema, modelSettingsSchema), {}),
  /** For models with several API keys, by the name of the model. The keys themselves are in the secret store. */
  modelKeys: z._default(
    z.record(
      profileNameSchema,
      z.strictObject({
        /** Name of the key that is used; default: the first one. */
        use: z.optional(keyNameSchema),
        /** Whether the next key is used when this one is refused or has no quota left. */
        useNext: z.optional(z.boolean()),
      }),
    ),
    {},
  ),
  /** A key of `models`, or `rehearsal`. */
  defaultModel: z.optional(z.string()),
  /** Models for particular work; each is a key of `models`. What is named here goes before the default. */
  modelFor: z.prefault(
    z.strictObject({
      /** By the id of the project. */
      projects: modelNamesSchema,
      /** By the id of the agent, and of the node of a workflow: often a cheaper model. */
      agents: modelNamesSchema,
      nodes: modelNamesSchema,
    }),
    {},
  ),
  tools: z.prefault(toolSettingsSchema, {}),
  mcp: z.prefault(mcpSettingsSchema, {}),
  context: z.prefault(
    z.strictObject({
      scope: z._default(contextScopeSchema, 'node'),
      prefetchBytes: z._default(prefetchBytesSchema, DEFAULT_PREFETCH_BYTES),
    }),
    {},
  ),
  limits: z.prefault(runLimitsSchema, {}),
  person: z.prefault(personSchema, {}),
  /** What is called when something happens in a Work, by name. */
  hooks: z.prefault(hooksSchema, {}),
  /** Answers to the questions that workflows ask once. */
  inputs: z.prefault(inputSettingsSchema, {}),
});
export type Settings = z.infer<typeof settingsSchema>;
