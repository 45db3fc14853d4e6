/** A request to a model by layer: the size of each layer and its parts. Empty layers are omitted. Pure. */
import { contextLayerSchema, type ShownPart, type ShownRequest } from '@crewagent/protocol/api/shown-context';

export type ShownLayer = ReturnType<typeof toLayers>[number];

/** `share`: of the request, from 0 to 1. */
export function toLayers({ parts }: ShownRequest) {
  const total = sum(parts);
  return contextLayerSchema.options.flatMap((layer) => {
    const own = parts.filter((part) => part.layer === layer);
    if (own.length === 0) return [];
    const tokens = sum(own);
    return [{ layer, tokens, share: total === 0 ? 0 : tokens / total, parts: own }];
  });
}

function sum(parts: readonly ShownPart[]): number {
  return parts.reduce((tokens, part) => tokens + part.tokens, 0);
}
