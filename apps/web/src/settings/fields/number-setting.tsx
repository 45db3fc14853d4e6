/** A numeric setting. An empty field means the default, which is the placeholder. */
import { useState } from 'react';
import { formatNumber } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Input } from '../../ui/forms/input.tsx';
import { isComposing } from '../../ui/forms/is-composing.ts';
import { type NumberKind, parseNumber, toNumberText } from './number-text.ts';
import { type SettingProps, SettingRow } from './setting-row.tsx';
import { useSetting } from './use-setting.ts';

interface NumberSettingProps extends SettingProps, NumberKind {
  /** Shown next to the number: `KB`, `turns`. */
  readonly unit?: string;
  /** Message for an invalid number. */
  readonly wrong: string;
}

export function NumberSetting({ path, label, hint, unit, wrong, ...kind }: NumberSettingProps) {
  const { t } = useTranslation();
  const setting = useSetting(path);
  const [typed, setTyped] = useState<string>();
  const { value, usual, isDecided } = setting;
  const kept = isDecided && typeof value === 'number' ? toNumberText(value, kind) : '';
  const usualText =
    typeof usual === 'number' ? formatNumber(Number(toNumberText(usual, kind))) : t('settings.noLimit');
  const parsed = parseNumber(typed ?? kept, kind);
  const keep = (): void => {
    if (parsed.kind === 'wrong' || typed === undefined) return;
    setTyped(undefined);
    if (typed.trim() !== kept) setting.change(parsed.kind === 'blank' ? null : parsed.value);
  };
  return (
    <SettingRow
      setting={setting}
      label={label}
      {...(hint === undefined ? {} : { hint })}
      issue={parsed.kind === 'wrong' ? wrong : undefined}
      usual={unit === undefined || typeof usual !== 'number' ? usualText : `${usualText} ${unit}`}
      onReset={() => setTyped(undefined)}
    >
      {(ids) => (
        <span className="relative">
          <Input
            {...ids}
            inputMode="decimal"
            autoComplete="off"
            value={typed ?? kept}
            placeholder={usualText}
            className={unit === undefined ? 'tabular-nums' : 'pe-16 tabular-nums'}
            onChange={(event) => setTyped(event.target.value)}
            onBlur={keep}
            onKeyDown={(event) => event.key === 'Enter' && !isComposing(event) && keep()}
          />
          {unit === undefined ? undefined : (
            <span
              aria-hidden="true"
              className="pointer-events-none absolute inset-y-0 end-2.5 flex items-center text-sm text-ink-faint"
            >
              {unit}
            </span>
          )}
        </span>
      )}
    </SettingRow>
  );
}
