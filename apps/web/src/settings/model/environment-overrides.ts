/** Which fields of a model the environment of the server decides, by which variable, and with what. Pure. */
import type { SettingsEnvironment, ShownModel } from '@crewagent/protocol/api/settings';

export interface Override {
  /** As the form calls it. */
  readonly field: 'baseUrl' | 'key';
  readonly variable: string;
  /** A key is never shown. */
  readonly value?: string | undefined;
}

export function overridesOf(
  { settings: { baseUrl, apiKeyEnv }, hasKey }: Pick<ShownModel, 'settings' | 'hasKey'>,
  environment: SettingsEnvironment,
): readonly Override[] {
  const isElsewhere = environment.baseUrl !== undefined && environment.baseUrl !== baseUrl;
  // A kept key is never sent to another address than its own.
  const isKeptUsed = hasKey && !isElsewhere && environment.keyVariable !== 'CREWAGENT_API_KEY';
  const variable = apiKeyEnv === undefined && !isKeptUsed ? environment.keyVariable : undefined;
  return [
    ...(isElsewhere
      ? [{ field: 'baseUrl', variable: 'CREWAGENT_BASE_URL', value: environment.baseUrl } as const]
      : []),
    ...(variable === undefined ? [] : [{ field: 'key', variable } as const]),
  ];
}
