/** List prices of common models, from one dated file. Pure. */
import type { Prices, Provider } from '@crewagent/protocol/model';
import table from './model-prices.json' with { type: 'json' };

interface PriceList {
  readonly source: string;
  readonly models: Readonly<Record<string, Prices>>;
}

export interface KnownPrices {
  readonly prices: Prices;
  /** The day on which the list was read. */
  readonly asOf: string;
  /** The page of the provider. */
  readonly source: string;
}

/** Undefined for a model that is not in the list: its price is unknown, never zero. `model`: without a gateway's prefix. */
export function findKnownPrices(provider: Provider, model: string): KnownPrices | undefined {
  const providers: Readonly<Partial<Record<Provider, PriceList>>> = table.providers;
  const list = providers[provider];
  const family = model.replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest|preview)$/, '');
  if (!list || !Object.hasOwn(list.models, family)) return undefined;
  const prices = list.models[family];
  return prices && { prices, asOf: table.asOf, source: list.source };
}
