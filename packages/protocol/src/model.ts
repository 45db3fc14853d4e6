/**
 * Which model drives a run, as settings and run records name it. Never holds a key: at most the name of the environment
 * variable that does.
 */
import * as z from './zod.ts';

export const providerSchema = z.enum(['openai', 'deepseek', 'ollama', 'lmstudio', 'openrouter', 'generic']);
export type Provider = z.infer<typeof providerSchema>;

/** US dollars per million tokens. */
export const pricesSchema = z.strictObject({
  input: z.number().min(0),
  cachedInput: z.number().min(0).optional(),
  output: z.number().min(0),
});
export type Prices = z.infer<typeof pricesSchema>;

/** A model behind an OpenAI-compatible address. What is left out comes from the provider's profile. */
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

/** The model of one run: a provider's, the built-in rehearsal, or a recorded one. */
export const runModelSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('rehearsal') }),
  z.strictObject({ kind: z.literal('replay'), file: z.string() }),
  z.strictObject({
    kind: z.literal('provider'),
    /** Name of the settings entry it came from; its kept key is used. */
    profile: z.string().optional(),
    settings: modelSettingsSchema,
  }),
]);
export type RunModel = z.infer<typeof runModelSchema>;

/** What a request cost, as the provider counted it. */
export const usageSchema = z.strictObject({
  promptTokens: z.int().min(0),
  completionTokens: z.int().min(0),
  cachedTokens: z.int().min(0),
  /** Undefined where no price is known. */
  costUsd: z.number().min(0).optional(),
  /** The provider did not count; this is our guess. */
  isEstimated: z.literal(true).optional(),
});
export type Usage = z.infer<typeof usageSchema>;
