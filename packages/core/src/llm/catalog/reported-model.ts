/**
 * What a server reports of one model: the context it is loaded with, and its price. Asked at most once in ten minutes: a
 * model may be loaded anew with another context.
 */
import type { OfferedModel } from '@crewagent/protocol/api/settings';
import type { ModelSettings } from '@crewagent/protocol/model';
import { listModels } from './list-models.ts';

type Reported = Pick<OfferedModel, 'contextTokens' | 'prices'>;

const FRESH_MS = 600_000;
const known = new Map<string, { readonly at: number; readonly reported: Reported }>();

/** Nothing where the server does not answer in time or does not know the model. */
export async function findReported(
  settings: ModelSettings,
  apiKey: string | undefined,
  timeoutMs: number,
): Promise<Reported> {
  const name = `${settings.provider} ${settings.baseUrl ?? ''} ${settings.model}`;
  const before = known.get(name);
  const now = performance.now();
  if (before && now - before.at < FRESH_MS) return before.reported;
  const list = await listModels({ address: settings, apiKey, timeoutMs });
  if (!list.ok) return {};
  const isNamed = ({ id }: OfferedModel): boolean =>
    id === settings.model || id === `${settings.model}:latest`;
  const found = list.models.find(isNamed);
  const reported: Reported = found ? { contextTokens: found.contextTokens, prices: found.prices } : {};
  known.set(name, { at: now, reported });
  return reported;
}
