/**
 * Lists the models of a provider, with the key a person typed or with the key of a saved model.
 */
import type { OfferedModel } from '@crewagent/protocol/api/settings';
import type { Provider } from '@crewagent/protocol/model';
import { CrewError } from '../../base/crew-error.ts';
import { listModels } from '../../llm/catalog/list-models.ts';
import { requireKey, type SecretStore } from '../../store/secret-store.ts';
import type { UserStore } from '../../store/store.ts';
import { type Environment, findApiKeys, type ProviderModel, toProviderModel } from './choose-model.ts';
import { requireModel } from './require-model.ts';
import { createKeyReader } from './stored-keys.ts';

export interface OfferRequest {
  /** A model in the settings; its address and key are the defaults of the other fields. */
  readonly savedModel?: string | undefined;
  readonly provider?: Provider | undefined;
  readonly baseUrl?: string | undefined;
  readonly key?: string | undefined;
  readonly apiKeyEnv?: string | undefined;
}

const LIST_MS = 15_000;

export async function listProviderModels(
  request: OfferRequest,
  options: {
    readonly store: UserStore;
    readonly env: Environment;
    readonly signal?: AbortSignal;
    readonly secrets?: SecretStore;
  },
): Promise<{ readonly baseUrl: string; readonly models: OfferedModel[] }> {
  const { store, env, signal, secrets = store.secrets } = options;
  const model = await resolveAddress(request, store);
  await requireModel(model, store);
  const apiKey =
    request.key === undefined
      ? (await findApiKeys(model, env, createKeyReader({ store, secrets }))).list[0]?.key
      : requireKey(request.key);
  const list = await listModels({ address: model.settings, apiKey, timeoutMs: LIST_MS, signal });
  if (!list.ok) throw new CrewError(list.error.code, list.error.message);
  return { baseUrl: list.baseUrl, models: [...list.models] };
}

async function resolveAddress(request: OfferRequest, store: UserStore): Promise<ProviderModel> {
  const { savedModel, provider, baseUrl, apiKeyEnv } = request;
  const { models } = await store.settings.load();
  const saved =
    savedModel !== undefined && Object.hasOwn(models, savedModel) ? models[savedModel] : undefined;
  if (savedModel !== undefined && !saved)
    throw new CrewError('NOT_FOUND', `There is no model "${savedModel}" in the settings.`);
  // Address and key of the saved model are used only for the same provider.
  const isSaved = saved !== undefined && (provider ?? saved.provider) === saved.provider;
  const model = isSaved
    ? toProviderModel(baseUrl, savedModel, saved)
    : toProviderModel(baseUrl, undefined, { provider: provider ?? 'generic', model: '' });
  return apiKeyEnv === undefined ? model : { ...model, settings: { ...model.settings, apiKeyEnv } };
}
