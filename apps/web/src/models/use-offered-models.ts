/** Models a provider offers, requested once its URL and key are typed. The key is sent with the request and not stored. */
import type { Provider } from '@crewagent/protocol/model';
import { useEffect, useRef, useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import type { OfferedModel } from '../api/settings-queries.ts';
import type { TypedValues } from '../ui/forms/typed-values.ts';
import { textOf } from './model-form.ts';
import { presetOf } from './model-presets.ts';

export interface OfferedModels {
  readonly models: readonly OfferedModel[];
  readonly isLoading: boolean;
  /** Call when the URL or key field loses the focus: requests again if one of them changed. */
  readonly refresh: () => void;
}

/** `savedModel`: name of a saved model whose key is used if none is typed. */
export function useOfferedModels(values: TypedValues, savedModel: string | undefined): OfferedModels {
  const client = useApi();
  const [models, setModels] = useState<readonly OfferedModel[]>([]);
  const [isLoading, setLoading] = useState(false);
  const asked = useRef('');
  const provider = values.provider as Provider;
  const [baseUrl, secret] = [textOf(values, 'baseUrl'), textOf(values, 'key')];
  const refresh = (): void => {
    const request = [provider, baseUrl, secret, savedModel].join('\n');
    if (asked.current === request) return;
    asked.current = request;
    setModels([]);
    setLoading(false);
    if (!canAsk()) return;
    setLoading(true);
    const body = {
      ...(savedModel !== undefined && secret === '' ? { savedModel } : {}),
      provider,
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

  function canAsk(): boolean {
    if (presetOf(provider).key === 'needed') return secret !== '' || savedModel !== undefined;
    return provider !== 'generic' || /^https?:\/\/./.test(baseUrl);
  }
}
