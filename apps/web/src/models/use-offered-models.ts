/** The models that a provider offers, asked for once its address and key are typed. The key is sent and kept nowhere. */
import { useEffect, useRef, useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import type { OfferedModel } from '../api/settings-queries.ts';
import type { ModelDraft } from './model-draft.ts';
import { presetOf } from './model-presets.ts';

export interface OfferedModels {
  readonly models: readonly OfferedModel[];
  readonly isLoading: boolean;
  /** The address or the key was left: asks again if one of them changed. */
  readonly refresh: () => void;
}

interface Source {
  readonly draft: ModelDraft;
  readonly secret: string;
  /** The name of a saved model whose key is used where none is typed. */
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
      // Without a list the name is typed; whether the key works is what the test says.
      .catch(() => undefined)
      .finally(() => isCurrent() && setLoading(false));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: with another provider; what is typed is asked for when its field is left
  useEffect(refresh, [provider]);
  return { models, isLoading, refresh };
}

function canAsk({ draft, secret, savedModel }: Source): boolean {
  const { key } = presetOf(draft.provider);
  if (key === 'needed') return secret.trim() !== '' || savedModel !== undefined;
  return draft.provider !== 'generic' || /^https?:\/\/./.test(draft.baseUrl.trim());
}
