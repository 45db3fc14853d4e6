/** One setting for a row: its source, a mutation, and the error. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { SETTINGS_KEYS, useSettings } from '../../api/settings-queries.ts';
import { useAction } from '../../ui/use-action.ts';
import { type SettingValue, settingAt, toChange } from './setting-value.ts';

export interface Setting extends SettingValue {
  readonly path: string;
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
    const shown = await client.settings.update({ body: toChange(path, value) });
    queries.setQueryData(SETTINGS_KEYS.settings, shown);
    setSaved(true);
    await queries.invalidateQueries({ queryKey: SETTINGS_KEYS.models });
  });
  const known = data ? settingAt(data, path) : { value: undefined, usual: undefined, isDecided: false };
  return { ...known, path, change: update.run, isBusy: update.isBusy, isSaved, issue: update.issue };
}
