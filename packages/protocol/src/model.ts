/**
 * The model of a run, as named in settings and run records. Never contains a key: at most the name of the environment variable
 * that does.
 */

import { countSchema, nonEmptySchema, positiveCountSchema } from './scalars.ts';
import * as z from './zod.ts';

/** A person's name for one of several API keys of a model. Shorter than any key, so that a key typed here is refused. */
export const keyNameSchema = z
  .string()
  .check(
    z.regex(
      /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ._-]{0,22}[\p{L}\p{M}\p{N}])?$/u,
      'a name of at most 24 letters, digits, spaces and dashes',
    ),
  );

/** The key of a model that has only one. */
export const DEFAULT_KEY = 'default';

export const providerSchema = z.enum([
  'openai',
  'azure',
  'anthropic',
  'gemini',
  'deepseek',
  'mistral',
  'groq',
  'xai',
  'qwen',
  'moonshot',
  'zhipu',
  'siliconflow',
  'openrouter',
  'ollama',
  'lmstudio',
  'llamacpp',
  'vllm',
  'builtin',
  'generic',
]);
export type Provider = z.infer<typeof providerSchema>;

/** US dollars per million tokens. */
export const pricesSchema = z.strictObject({
  input: z.number().check(z.minimum(0)),
  cachedInput: z.optional(z.number().check(z.minimum(0))),
  output: z.number().check(z.minimum(0)),
});
export type Prices = z.infer<typeof pricesSchema>;

/** How long a provider may take. What is left out comes from the provider's profile. */
export const modelTimeoutsSchema = z.strictObject({
  /** Until a connection is there. */
  connectSeconds: z.optional(z.number().check(z.minimum(1), z.maximum(600))),
  /** From the request to the first data of the reply: a local server evaluates the prompt meanwhile. */
  firstByteSeconds: z.optional(z.number().check(z.minimum(1), z.maximum(86_400))),
  /** Between two pieces of data. */
  idleSeconds: z.optional(z.number().check(z.minimum(1), z.maximum(86_400))),
  /** For the whole reply. */
  replySeconds: z.optional(z.number().check(z.minimum(1), z.maximum(604_800))),
});

/** A model whose first data may take this long evaluates the prompt meanwhile; hosted models are given less. */
export const SLOW_START_SECONDS = 600;

/** When and how often a request that failed is sent again. */
export const modelRetriesSchema = z.strictObject({
  /** In all, the first one included. */
  tries: z.optional(z.int().check(z.minimum(1), z.maximum(20))),
  /** Before the second try; doubles with each further one. */
  backoffSeconds: z.optional(z.number().check(z.minimum(0), z.maximum(600))),
});

/** Of a key that all workers of a team use together. */
const keyLimitsSchema = z.strictObject({
  requestsPerMinute: z.optional(z.int().check(z.minimum(1), z.maximum(1_000_000))),
  /** At the same time. */
  concurrentRequests: z.optional(z.int().check(z.minimum(1), z.maximum(100_000))),
});

/** What a provider takes of the messages that are sent back to it. */
export const messageRulesSchema = z.strictObject({
  /** Host and name of the model. Fields unknown to us are sent back only to the model that they came from. */
  origin: z.string(),
  /** Which of these fields it takes: all, or the named ones. */
  returnedFields: z.union([z.literal('all'), z.array(z.string())]),
  /** `reasoning_content` of turns with tool calls: not sent, sent where there is some, or on every such turn. */
  reasoning: z.enum(['never', 'if known', 'always']),
  /** Ids of tool calls: as they are, or nine letters and digits. */
  callIds: z.enum(['any', 'nine characters']),
  /** Whether a reply must stand between the results of tools and what a person says next. */
  needsReplyAfterTools: z.boolean(),
  /** Whether a tool call needs a thought signature, also one that another model made. */
  needsSignatures: z.boolean(),
  /** Content of a reply that has only tool calls. */
  emptyContent: z.enum(['null', 'text']),
  /** Schemas of tools: as they are, or without the keywords that Gemini refuses. */
  toolSchemas: z.enum(['full', 'plain']),
  /** Whether it takes pictures in messages of the user; recordings of earlier versions do not say. */
  pictures: z.exactOptional(z.boolean()),
});
export type MessageRules = z.infer<typeof messageRulesSchema>;

/** `cache/learned-rules.json`: message rules learned from errors of providers, by origin. */
export const learnedRulesSchema = z.record(
  z.string(),
  z.strictObject({ at: z.iso.datetime(), rules: z.partial(z.omit(messageRulesSchema, { origin: true })) }),
);
export type StoredLearnedRules = z.infer<typeof learnedRulesSchema>;

export const modelSizeSchema = z.enum(['small', 'full']);
export type ModelSize = z.infer<typeof modelSizeSchema>;

/** A model with an OpenAI-compatible API. Omitted fields come from the provider's profile. */
export const modelSettingsSchema = z.strictObject({
  provider: z._default(providerSchema, 'generic'),
  baseUrl: z.optional(
    z
      .url({ protocol: /^https?$/ })
      .check(z.refine((url) => !/^https?:\/\/[^/?#]*@/i.test(url), 'an address without a user name')),
  ),
  model: nonEmptySchema,
  apiKeyEnv: z.optional(nonEmptySchema),
  contextTokens: z.optional(z.int().check(z.minimum(1_000))),
  maxOutputTokens: z.optional(positiveCountSchema),
  temperature: z.optional(z.number().check(z.minimum(0), z.maximum(2))),
  prices: z.optional(pricesSchema),
  timeouts: z.optional(modelTimeoutsSchema),
  retries: z.optional(modelRetriesSchema),
  /** In a team: how much its key is used. */
  limits: z.optional(keyLimitsSchema),
  /** A longer reply is given up and not stored. */
  maxReplyMiB: z.optional(z.number().check(z.minimum(0.01), z.maximum(256))),
  /** `small`: shorter rules and fewer tools at once. By default, models with a small context, and those that make slips. */
  size: z.optional(modelSizeSchema),
  /** Whether pictures that a person attaches are sent to it. By default, to models that are known to take them. */
  pictures: z.optional(z.enum(['send', 'omit'])),
});
export type ModelSettings = z.infer<typeof modelSettingsSchema>;

/** The model of one run: a provider's, the built-in rehearsal, a recording, or that of another agent, the host, which makes the calls. */
export const runModelSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('rehearsal') }),
  /** `name`: as the host calls itself. */
  z.strictObject({ kind: z.literal('host'), name: nonEmptySchema }),
  z.strictObject({ kind: z.literal('replay'), file: z.string() }),
  z.strictObject({
    kind: z.literal('provider'),
    /** Name of the settings entry it came from; its stored key is used. */
    profile: z.optional(z.string()),
    settings: modelSettingsSchema,
  }),
]);
export type RunModel = z.infer<typeof runModelSchema>;

/** As the provider calls it; the name of a host; `rehearsal` or `replay` where nobody is asked. */
export function modelNameOf(model: RunModel): string {
  if (model.kind === 'host') return model.name;
  return model.kind === 'provider' ? model.settings.model : model.kind;
}

/** Token counts and cost of a request, as reported by the provider. */
export const usageSchema = z.strictObject({
  promptTokens: countSchema,
  completionTokens: countSchema,
  cachedTokens: countSchema,
  /** Undefined if the price is unknown. */
  costUsd: z.optional(z.number().check(z.minimum(0))),
  /** The provider reported no counts; these are our estimate. */
  isEstimated: z.optional(z.literal(true)),
});
export type Usage = z.infer<typeof usageSchema>;

/** The sum of no requests. */
export const NO_USAGE: Usage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 };

export function addUsage(total: Usage, usage: Usage): Usage {
  const sum: Usage = {
    promptTokens: total.promptTokens + usage.promptTokens,
    completionTokens: total.completionTokens + usage.completionTokens,
    cachedTokens: total.cachedTokens + usage.cachedTokens,
  };
  if (usage.isEstimated || total.isEstimated) sum.isEstimated = true;
  if (usage.costUsd !== undefined || total.costUsd !== undefined)
    sum.costUsd = (total.costUsd ?? 0) + (usage.costUsd ?? 0);
  return sum;
}
