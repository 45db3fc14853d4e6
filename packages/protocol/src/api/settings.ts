/**
 * Settings and models over HTTP. A key goes in and never comes out.
 */
import { modelSettingsSchema, runModelSchema } from '../model.ts';
import { settingsSchema } from '../settings.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { profileNameSchema } from './ids.ts';

const params = z.strictObject({ name: profileNameSchema });

const modelOverrideSchema = z.strictObject({
  /** Of the settings, or the key, which is never shown. */
  field: z.enum(['baseUrl', 'key']),
  variable: z.string(),
  value: z.string().optional(),
});
export type ModelOverride = z.infer<typeof modelOverrideSchema>;

const shownModelSchema = z.strictObject({
  name: z.string(),
  settings: modelSettingsSchema,
  /** A key is kept for its address. */
  hasKey: z.boolean(),
  isDefault: z.boolean(),
  /** What the environment of the server says instead. */
  overrides: z.array(modelOverrideSchema),
});
export type ShownModel = z.infer<typeof shownModelSchema>;

export const modelTestSchema = z.strictObject({
  model: runModelSchema,
  /** Missing where there is no provider to reach. */
  report: z
    .strictObject({
      ok: z.boolean(),
      model: z.string(),
      latencyMs: z.number(),
      streams: z.boolean(),
      tools: z.boolean(),
      steps: z.array(
        z.strictObject({ name: z.string(), ok: z.boolean(), detail: z.string(), ms: z.number() }),
      ),
    })
    .optional(),
});

const shownSettingsSchema = z.strictObject({
  settings: settingsSchema,
  /** Only what somebody decided; where a field is missing, its default holds. */
  decided: z.record(z.string(), z.unknown()),
  /** What holds where nothing was decided. */
  defaults: settingsSchema,
  /** What the environment of the server says, which goes before the settings. */
  environment: z.strictObject({
    model: z.string().optional(),
    baseUrl: z.string().optional(),
    hasKey: z.boolean(),
  }),
});

export const settings = {
  show: defineEndpoint({
    method: 'GET',
    path: '/settings',
    summary: 'All settings, their defaults, and what the environment overrides.',
    response: shownSettingsSchema,
  }),
  update: defineEndpoint({
    method: 'PATCH',
    path: '/settings',
    summary: 'Changes settings: objects are merged, null takes a field away.',
    body: z.record(z.string(), z.unknown()),
    response: shownSettingsSchema,
  }),
};

export const models = {
  list: defineEndpoint({
    method: 'GET',
    path: '/models',
    summary: 'The models in the settings.',
    response: z.strictObject({ models: z.array(shownModelSchema) }),
  }),
  put: defineEndpoint({
    method: 'PUT',
    path: '/models/:name',
    summary: 'Adds a model, or replaces the one of that name.',
    params,
    body: z.strictObject({ settings: modelSettingsSchema, isDefault: z.boolean().optional() }),
    response: shownModelSchema,
  }),
  remove: defineEndpoint({
    method: 'DELETE',
    path: '/models/:name',
    summary: 'Removes a model, and its key.',
    params,
  }),
  setKey: defineEndpoint({
    method: 'PUT',
    path: '/models/:name/key',
    summary: 'Keeps the API key of a model, for the address it has now.',
    params,
    body: z.strictObject({ key: z.string().min(1).max(10_000) }),
    response: shownModelSchema,
  }),
  removeKey: defineEndpoint({
    method: 'DELETE',
    path: '/models/:name/key',
    summary: 'Forgets the API key of a model.',
    params,
    response: shownModelSchema,
  }),
  test: defineEndpoint({
    method: 'POST',
    path: '/models/test',
    summary: 'Talks to a model in two turns with one tool call; to the default one if none is named.',
    body: z.strictObject({ model: z.string().min(1).max(200).optional() }),
    response: modelTestSchema,
  }),
};
