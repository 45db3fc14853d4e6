/**
 * The model of a run, as named in settings and run records. Never contains a key: at most the name of the environment variable
 * that does.
 */
import * as z from './zod.ts';

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
