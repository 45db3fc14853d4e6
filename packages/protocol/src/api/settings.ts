/**
 * Settings and models over HTTP. API keys are write-only.
 */
import { ledgerRowSchema } from '../ledger.ts';
import {
  keyNameSchema,
  modelSettingsSchema,
  pricesSchema,
  providerSchema,
  runModelSchema,
} from '../model.ts';
import { shownPolicySchema } from '../policy.ts';
import { positiveCountSchema } from '../scalars.ts';
import { settingsSchema } from '../settings.ts';
import { inputValueSchema, typedInputSchema } from '../typed-inputs.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { packageHashSchema, profileNameSchema, storeIdSchema } from './ids.ts';

const modelOverrideSchema = z.strictObject({
  /** A field of the settings, or the key, which is never shown. */
  field: z.enum(['baseUrl', 'key']),
  variable: z.string(),
  value: z.optional(z.string()),
});
export type ModelOverride = z.infer<typeof modelOverrideSchema>;

const shownModelSchema = z.strictObject({
  name: z.string(),
  settings: modelSettingsSchema,
  /** Whether a key is stored for its address. */
  hasKey: z.boolean(),
  /** Missing if its only key has no name of its own. */
  keys: z.optional(
    z.strictObject({
      /** In the order in which they are tried after the one that is used. */
      names: z.array(z.string()),
      used: z.string(),
      useNext: z.boolean(),
    }),
  ),
  isDefault: z.boolean(),
  /** Overrides from the environment of the server. */
  overrides: z.array(modelOverrideSchema),
});
export type ShownModel = z.infer<typeof shownModelSchema>;

export const modelTestSchema = z.strictObject({
  model: runModelSchema,
  /** Missing if there is no provider to test. */
  report: z.optional(
    z.strictObject({
      ok: z.boolean(),
      model: z.string(),
      latencyMs: z.number(),
      streams: z.boolean(),
      tools: z.boolean(),
      /** What a run can do without; only of a model that passed all steps. */
      abilities: z.optional(z.strictObject({ parallelCalls: z.boolean(), jsonArguments: z.boolean() })),
      /** Whether our prompts fit the context of the model. */
      context: z.strictObject({ tokens: z.number(), neededTokens: z.number(), fits: z.boolean() }),
      steps: z.array(
        z.strictObject({ name: z.string(), ok: z.boolean(), detail: z.string(), ms: z.number() }),
      ),
    }),
  ),
});

/** A model that is not saved, or not as it is typed now. */
const modelDraftSchema = z.strictObject({
  settings: modelSettingsSchema,
  /** Sent to its address and not stored. */
  key: z.optional(z.string().check(z.minLength(1), z.maxLength(10_000))),
  /** A model of the settings, whose key for the same address is used if none is given. */
  savedModel: z.optional(profileNameSchema),
});
export type ModelDraft = z.infer<typeof modelDraftSchema>;

/** A model that a provider or a local server offers. What the server does not report is left out. */
const offeredModelSchema = z.strictObject({
  /** To be used as `model` of the settings. */
  id: z.string(),
  /** For display, where it differs from the id. */
  name: z.optional(z.string()),
  contextTokens: z.optional(positiveCountSchema),
  prices: z.optional(pricesSchema),
  /** If the prices are not reported but those of our list: its date. A run uses them unless the settings have others. */
  pricesAsOf: z.optional(z.string()),
  takesTools: z.optional(z.boolean()),
});
export type OfferedModel = z.infer<typeof offeredModelSchema>;

const localServerSchema = z.strictObject({
  provider: providerSchema,
  /** To be used as `baseUrl` of the settings. */
  baseUrl: z.string(),
  models: z.array(offeredModelSchema),
});
export type LocalServer = z.infer<typeof localServerSchema>;

/** Built-in models: what can be installed, what is, and how far an installation is. */
const builtinModelsSchema = z.strictObject({
  recommended: z.array(
    z.strictObject({
      name: z.string(),
      title: z.string(),
      /** Where a person finds its file; nothing is downloaded from there by us. */
      page: z.string(),
      licence: z.string(),
      /** About. */
      bytes: z.number(),
      memoryGiB: z.number(),
      /** The one that fits this machine best. */
      isBest: z.boolean(),
    }),
  ),
  installed: z.array(z.strictObject({ name: z.string(), bytes: z.optional(z.number()) })),
  installation: z.optional(
    z.strictObject({
      name: z.string(),
      /** `runtime`: the part that runs models is installed first. */
      status: z.enum(['runtime', 'downloading', 'done', 'failed']),
      receivedBytes: z.number(),
      totalBytes: z.optional(z.number()),
      /** Why it failed. */
      message: z.optional(z.string()),
    }),
  ),
});
export type BuiltinModels = z.infer<typeof builtinModelsSchema>;

const shownSettingsSchema = z.strictObject({
  settings: settingsSchema,
  /** Only values somebody decided; missing fields have their default. */
  decided: z.record(z.string(), z.unknown()),
  /** The default values. */
  defaults: settingsSchema,
  /** What an organisation allows; `settings` are already restricted to it. */
  policies: z.optional(z.array(shownPolicySchema)),
  /** Environment of the server, which takes precedence over the settings. */
  environment: z.strictObject({
    model: z.optional(z.string()),
    baseUrl: z.optional(z.string()),
    hasKey: z.boolean(),
  }),
});

const shownInputSchema = z.extend(typedInputSchema, {
  /** What a run would get now. */
  value: z.optional(inputValueSchema),
  /** `known`: set by the runtime, so nobody is asked; `none`: must be answered before a run. */
  source: z.enum(['answer', 'known', 'default', 'none']),
  /** Names of the packages that ask it. */
  packages: z.array(z.string()),
});
export type ShownInput = z.infer<typeof shownInputSchema>;

export const settings = {
  show: defineEndpoint(
    'GET /settings',
    'Shows all settings, their defaults, and overrides from the environment.',
    { response: shownSettingsSchema },
  ),
  update: defineEndpoint('PATCH /settings', 'Changes settings: objects are merged, null removes a field.', {
    body: z.record(z.string(), z.unknown()),
    response: shownSettingsSchema,
  }),
  inputs: defineEndpoint(
    'GET /settings/inputs',
    'Lists the questions that workflows ask once, of one workflow or of all packages, with the values a run would get.',
    {
      query: z.strictObject({
        packageHash: z.optional(packageHashSchema),
        /** Default: the entry workflow. */
        workflow: z.optional(z.string().check(z.maxLength(500))),
        projectId: z.optional(storeIdSchema),
      }),
      response: z.strictObject({ inputs: z.array(shownInputSchema) }),
    },
  ),
};

export const models = {
  list: defineEndpoint('GET /models', 'Lists the models in the settings.', {
    response: z.strictObject({ models: z.array(shownModelSchema) }),
  }),
  report: defineEndpoint(
    'GET /models/report',
    'How models behaved in the runs of this store, per model and package, best first.',
    {
      query: z.strictObject({
        /** Name of a package; case does not matter. */
        package: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
        /** Only runs that were created then or later. */
        since: z.optional(z.union([z.iso.date(), z.iso.datetime({ offset: true })])),
      }),
      response: z.strictObject({ rows: z.array(ledgerRowSchema) }),
    },
  ),
  put: defineEndpoint('PUT /models/:name', 'Adds or replaces a model.', {
    body: z.strictObject({ settings: modelSettingsSchema, isDefault: z.optional(z.boolean()) }),
    response: shownModelSchema,
  }),
  remove: defineEndpoint('DELETE /models/:name', 'Removes a model and its keys.'),
  setKey: defineEndpoint(
    'PUT /models/:name/key',
    'Stores an API key of a model, for its current address. Without a name it replaces the one that is used.',
    {
      body: z.strictObject({
        key: z.string().check(z.minLength(1), z.maxLength(10_000)),
        keyName: z.optional(keyNameSchema),
      }),
      response: shownModelSchema,
    },
  ),
  removeKey: defineEndpoint('DELETE /models/:name/key', 'Deletes an API key of a model, or all of them.', {
    query: z.strictObject({ keyName: z.optional(keyNameSchema) }),
    response: shownModelSchema,
  }),
  chooseKey: defineEndpoint(
    'PUT /models/:name/key-choice',
    'Chooses which API key of a model is used, and whether the next one is used when it is refused or has no quota left.',
    {
      body: z.strictObject({ use: z.optional(keyNameSchema), useNext: z.optional(z.boolean()) }),
      response: shownModelSchema,
    },
  ),
  test: defineEndpoint(
    'POST /models/test',
    'Tests a model with two turns and one tool call; default: the default model.',
    {
      body: z.strictObject({
        model: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
        /** Tested instead: a model as it is typed, of which nothing is stored. */
        draft: z.optional(modelDraftSchema),
      }),
      response: modelTestSchema,
    },
  ),
  listProviderModels: defineEndpoint(
    'POST /models/provider',
    'Lists the models that a provider offers, with context size and price where it reports them.',
    {
      body: z.strictObject({
        /** A model of the settings, whose address and key are used where the other fields are left out. */
        savedModel: z.optional(profileNameSchema),
        provider: z.optional(providerSchema),
        baseUrl: modelSettingsSchema.shape.baseUrl,
        /** Sent to this address and not stored. */
        key: z.optional(z.string().check(z.minLength(1), z.maxLength(10_000))),
        apiKeyEnv: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
      }),
      response: z.strictObject({ baseUrl: z.string(), models: z.array(offeredModelSchema) }),
    },
  ),
  findLocalModels: defineEndpoint(
    'GET /models/local',
    'Looks for model servers on the usual ports of this machine and lists their models.',
    { response: z.strictObject({ servers: z.array(localServerSchema) }) },
  ),
  showBuiltin: defineEndpoint(
    'GET /models/builtin',
    'Built-in models: what can be installed, what is, and how far an installation is.',
    { response: builtinModelsSchema },
  ),
  installBuiltin: defineEndpoint(
    'POST /models/builtin',
    'Begins to install a GGUF file, of this machine or from an https address with its checksum, or resumes that; `showBuiltin` tells how far it is.',
    {
      body: z.union([
        z.strictObject({
          url: z.string().check(z.maxLength(4_096)),
          sha256: z.string().check(z.maxLength(100)),
        }),
        z.strictObject({ file: z.string().check(z.minLength(1), z.maxLength(4_096)) }),
      ]),
      response: builtinModelsSchema,
      status: 202,
    },
  ),
  removeBuiltin: defineEndpoint(
    'DELETE /models/builtin/:name',
    'Removes a built-in model with its file; of one that is being installed it cancels the installation.',
    { response: builtinModelsSchema },
  ),
};
