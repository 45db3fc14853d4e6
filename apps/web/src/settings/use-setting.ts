/** One setting by its path (`tools.fs.enabled`): its value and source, a mutation, and the error. */
import { toChange, valueAt } from '@crewagent/protocol/describe-fields';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { SETTINGS_KEYS, useSettings } from '../api/settings-queries.ts';
import { useAction } from '../ui/use-action.ts';

interface SettingValue {
  readonly value: unknown;
  readonly usual: unknown;
  /** It was set explicitly. */
  readonly isDecided: boolean;
}

export interface Setting extends SettingValue {
  /** Null restores the default. */
  readonly change: (value: unknown) => void;
  readonly isBusy: boolean;
  /** It was saved, without an error since. */
  readonly isSaved: boolean;
  readonly issue: Error | undefined;
}

export function useSetting(path: string): Setting {
  const client = useApi();
  const queries = useQueryClient();
  const { data } = useSettings();
  const [isSaved, setSaved] = useState(false);
  const update = useAction(async (value: unknown) => {
    setSaved(false);
    const shown = await client.settings.update({ body: toChange(path.split('.'), value) });
    queries.setQueryData(SETTINGS_KEYS.settings, shown);
    setSaved(true);
    await queries.invalidateQueries({ queryKey: SETTINGS_KEYS.models });
  });
  const known = settingAt(data ?? { settings: {}, decided: {}, defaults: {} }, path);
  return { ...known, change: update.run, isBusy: update.isBusy, isSaved, issue: update.issue };
}

interface SettingSource {
  readonly settings: object;
  readonly decided: object;
  readonly defaults: object;
}

export function settingAt({ settings, decided, defaults }: SettingSource, path: string): SettingValue {
  const names = path.split('.');
  return {
    value: valueAt(settings, names),
    usual: valueAt(defaults, names),
    isDecided: valueAt(decided, names) !== undefined,
  };
}
