/**
 * What the environment says instead of a model's own address and key, as a run would take it. Pure.
 */
import type { ModelOverride } from '@crewagent/protocol/api/settings';
import type { ModelSettings } from '@crewagent/protocol/model';
import { type Environment, keySourcesOf, placeAt } from './choose-model.ts';

export interface NamedModel {
  readonly name: string;
  readonly settings: ModelSettings;
  /** A key is kept for its own address. */
  readonly hasKey: boolean;
}

export function overridesOf({ name, settings, hasKey }: NamedModel, env: Environment): ModelOverride[] {
  const placed = placeAt(env.CREWAGENT_BASE_URL || undefined, name, settings);
  const { baseUrl } = placed.settings;
  const source = keySourcesOf(placed, env).find(({ kind }) => kind !== 'kept' || hasKey);
  return [
    ...(baseUrl === settings.baseUrl
      ? []
      : [{ field: 'baseUrl', variable: 'CREWAGENT_BASE_URL', value: baseUrl } as const]),
    ...(source?.kind === 'environment' ? [{ field: 'key', variable: source.variable } as const] : []),
  ];
}
