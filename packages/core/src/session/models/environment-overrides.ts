/**
 * Environment variables that override a model's address or key, with the precedence that a run uses. Pure.
 */
import type { ModelOverride } from '@crewagent/protocol/api/settings';
import type { ModelSettings } from '@crewagent/protocol/model';
import { type Environment, keySourcesOf, toProviderModel } from './choose-model.ts';

export interface NamedModel {
  readonly name: string;
  readonly settings: ModelSettings;
  /** Whether a key is stored for the model's own address. */
  readonly hasKey: boolean;
}

export function overridesOf({ name, settings, hasKey }: NamedModel, env: Environment): ModelOverride[] {
  const effective = toProviderModel(env.CREWAGENT_BASE_URL || undefined, name, settings);
  const { baseUrl } = effective.settings;
  const source = keySourcesOf(effective, env).find(({ kind }) => kind !== 'stored' || hasKey);
  return [
    ...(baseUrl === settings.baseUrl
      ? []
      : [{ field: 'baseUrl', variable: 'CREWAGENT_BASE_URL', value: baseUrl } as const]),
    ...(source?.kind === 'environment' ? [{ field: 'key', variable: source.variable } as const] : []),
  ];
}
