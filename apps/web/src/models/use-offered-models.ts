/** Models a provider offers, requested once its URL and key are typed. The key is sent with the request and not stored. */
import { useEffect, useRef, useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import type { OfferedModel } from '../api/settings-queries.ts';
import type { ModelDraft } from './model-draft.ts';
import { presetOf } from './model-presets.ts';

export interface OfferedModels {
  readonly models: readonly OfferedModel[];
  readonly isLoading: boolean;
  /** Call when the URL or key field loses the focus: requests again if one of them changed. */
  readonly refresh: () => void;
}

interface Source {
  readonly draft: ModelDraft;
  readonly secret: string;
  /** Name of a saved model whose key is used if none is typed. */
  readonly savedModel: string | undefined;
}

export function useOfferedModels({ draft, secret, savedModel }: Source): OfferedModels {
  const client = useApi();
  const [models, setModels] = useState<readonly OfferedModel[]>([]);
  const [isLoading, setLoading] = useState(false);
  const asked = useRef('');
  const { provider } = draft;
  const baseUrl = draft.baseUrl.trim();
  const refresh = (): void => {
    const request = [provider, baseUrl, secret, savedModel].join('\n');
    if (asked.current === request) return;
    asked.current = request;
    setModels([]);
    setLoading(false);
    if (!canAsk({ draft, secret, savedModel })) return;
    setLoading(true);
    const body = {
      ...(savedModel !== undefined && secret === '' ? { savedModel } : {}),
      ...{ provider },
      ...(baseUrl === '' ? {} : { baseUrl }),
      ...(secret === '' ? {} : { key: secret }),
    };
    const isCurrent = (): boolean => asked.current === request;
    client.models
      .listProviderModels({ body })
      .then((found) => isCurrent() && setModels(found.models))
      // Without a list the name is typed; the test reports whether the key works.
      .catch(() => undefined)
      .finally(() => isCurrent() && setLoading(false));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the provider changes; typed fields refresh on blur
  useEffect(refresh, [provider]);
  return { models, isLoading, refresh };
}

function canAsk({ draft, secret, savedModel }: Source): boolean {
  const { key } = presetOf(draft.provider);
  if (key === 'needed') return secret.trim() !== '' || savedModel !== undefined;
  return draft.provider !== 'generic' || /^https?:\/\/./.test(draft.baseUrl.trim());
}
