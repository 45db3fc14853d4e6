/** Settings with a text, or a list with one entry per line. Saved on blur. */
import { useState } from 'react';
import { Input } from '../../ui/forms/input.tsx';
import { isComposing } from '../../ui/forms/is-composing.ts';
import { Textarea } from '../../ui/forms/textarea.tsx';
import { type SettingProps, SettingRow } from './setting-row.tsx';
import { useSetting } from './use-setting.ts';

/** An empty field means the default. */
export function TextSetting({ path, label, hint }: SettingProps) {
  const setting = useSetting(path);
  const [typed, setTyped] = useState<string>();
  const { value, usual, isDecided } = setting;
  const kept = isDecided && typeof value === 'string' ? value : '';
  const usualText = typeof usual === 'string' ? usual : '';
  const keep = (): void => {
    if (typed === undefined) return;
    setTyped(undefined);
    const text = typed.trim();
    if (text !== kept) setting.change(text === '' ? null : text);
  };
  return (
    <SettingRow
      setting={setting}
      label={label}
      {...(hint === undefined ? {} : { hint })}
      usual={usualText}
      onReset={() => setTyped(undefined)}
    >
      {(ids) => (
        <Input
          {...ids}
          autoComplete="off"
          spellCheck={false}
          value={typed ?? kept}
          placeholder={usualText}
          className="font-mono"
          onChange={(event) => setTyped(event.target.value)}
          onBlur={keep}
          onKeyDown={(event) => event.key === 'Enter' && !isComposing(event) && keep()}
        />
      )}
    </SettingRow>
  );
}

/** One entry per line. */
export function ListSetting({
  path,
  label,
  hint,
  placeholder,
}: SettingProps & { readonly placeholder: string }) {
  const setting = useSetting(path);
  const [typed, setTyped] = useState<string>();
  const { value, isDecided } = setting;
  const kept = Array.isArray(value) ? value.join('\n') : '';
  const keep = (): void => {
    if (typed === undefined) return;
    setTyped(undefined);
    const lines = typed
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
    if (lines.join('\n') !== kept) setting.change(lines.length === 0 && isDecided ? null : lines);
  };
  return (
    <SettingRow
      setting={setting}
      label={label}
      {...(hint === undefined ? {} : { hint })}
      onReset={() => setTyped(undefined)}
    >
      {(ids) => (
        <Textarea
          {...ids}
          rows={3}
          spellCheck={false}
          value={typed ?? kept}
          placeholder={placeholder}
          className="font-mono text-sm!"
          onChange={(event) => setTyped(event.target.value)}
          onBlur={keep}
        />
      )}
    </SettingRow>
  );
}
