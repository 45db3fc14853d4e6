/**
 * The model of a run, as named in settings and run records. Never contains a key: at most the name of the environment variable
 * that does.
 */
import * as z from './zod.ts';

/** A person's name for one of several API keys of a model. Shorter than any key, so that a key typed here is refused. */
export const keyNameSchema = z
  .string()
  .regex(
    /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ._-]{0,22}[\p{L}\p{M}\p{N}])?$/u,
    'a name of at most 24 letters, digits, spaces and dashes',
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
  input: z.number().min(0),
  cachedInput: z.number().min(0).optional(),
  output: z.number().min(0),
});
export type Prices = z.infer<typeof pricesSchema>;

/** How long a provider may take. What is left out comes from the provider's profile. */
export const modelTimeoutsSchema = z.strictObject({
  /** Until a connection is there. */
  connectSeconds: z.number().min(1).max(600).optional(),
  /** From the request to the first data of the reply: a local server evaluates the prompt meanwhile. */
  firstByteSeconds: z.number().min(1).max(86_400).optional(),
  /** Between two pieces of data. */
  idleSeconds: z.number().min(1).max(86_400).optional(),
  /** For the whole reply. */
  replySeconds: z.number().min(1).max(604_800).optional(),
});

/** A model whose first data may take this long evaluates the prompt meanwhile; hosted models are given less. */
export const SLOW_START_SECONDS = 600;

/** When and how often a request that failed is sent again. */
export const modelRetriesSchema = z.strictObject({
  /** In all, the first one included. */
  tries: z.int().min(1).max(20).optional(),
  /** Before the second try; doubles with each further one. */
  backoffSeconds: z.number().min(0).max(600).optional(),
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
});
export type MessageRules = z.infer<typeof messageRulesSchema>;

/** `cache/learned-rules.json`: message rules learned from errors of providers, by origin. */
export const learnedRulesSchema = z.record(
  z.string(),
  z.strictObject({ at: z.iso.datetime(), rules: messageRulesSchema.omit({ origin: true }).partial() }),
);
export type StoredLearnedRules = z.infer<typeof learnedRulesSchema>;

/** A model with an OpenAI-compatible API. Omitted fields come from the provider's profile. */
export const modelSettingsSchema = z.strictObject({
  provider: providerSchema.default('generic'),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .refine((url) => !/^https?:\/\/[^/?#]*@/i.test(url), 'an address without a user name')
    .optional(),
  model: z.string().min(1),
  apiKeyEnv: z.string().min(1).optional(),
  contextTokens: z.int().min(1_000).optional(),
  maxOutputTokens: z.int().min(1).optional(),
  temperature: z.number().min(0).max(2).optional(),
  prices: pricesSchema.optional(),
  timeouts: modelTimeoutsSchema.optional(),
  retries: modelRetriesSchema.optional(),
  /** A longer reply is given up and not stored. */
  maxReplyMiB: z.number().min(0.01).max(256).optional(),
});
export type ModelSettings = z.infer<typeof modelSettingsSchema>;

/** The model of one run: a provider's, the built-in rehearsal, or a recording. */
export const runModelSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('rehearsal') }),
  z.strictObject({ kind: z.literal('replay'), file: z.string() }),
  z.strictObject({
    kind: z.literal('provider'),
    /** Name of the settings entry it came from; its stored key is used. */
    profile: z.string().optional(),
    settings: modelSettingsSchema,
  }),
]);
export type RunModel = z.infer<typeof runModelSchema>;

/** Token counts and cost of a request, as reported by the provider. */
export const usageSchema = z.strictObject({
  promptTokens: z.int().min(0),
  completionTokens: z.int().min(0),
  cachedTokens: z.int().min(0),
  /** Undefined if the price is unknown. */
  costUsd: z.number().min(0).optional(),
  /** The provider reported no counts; these are our estimate. */
  isEstimated: z.literal(true).optional(),
});
export type Usage = z.infer<typeof usageSchema>;
