/**
 * What a server reports about one model: its loaded context size and price. Cached for ten minutes, because a model
 * may be reloaded with another context size.
 */
import type { OfferedModel } from '@crewagent/protocol/api/settings';
import type { ModelSettings } from '@crewagent/protocol/model';
import { listModels } from './list-models.ts';

type Reported = Pick<OfferedModel, 'contextTokens' | 'prices'>;

const FRESH_MS = 600_000;
const cache = new Map<string, { readonly at: number; readonly reported: Reported }>();

/** Empty if the server does not answer in time or does not know the model. */
export async function findReported(
  settings: ModelSettings,
  apiKey: string | undefined,
  timeoutMs: number,
): Promise<Reported> {
  const name = `${settings.provider} ${settings.baseUrl ?? ''} ${settings.model}`;
  const cached = cache.get(name);
  const now = performance.now();
  if (cached && now - cached.at < FRESH_MS) return cached.reported;
  const list = await listModels({ address: settings, apiKey, timeoutMs });
  if (!list.ok) return {};
  const isSameModel = ({ id }: OfferedModel): boolean =>
    id === settings.model || id === `${settings.model}:latest`;
  const found = list.models.find(isSameModel);
  const reported: Reported = found ? { contextTokens: found.contextTokens, prices: found.prices } : {};
  cache.set(name, { at: now, reported });
  return reported;
}
