/** Settings with a switch, or with a few options. */
import { useTranslation } from '../../i18n/use-translation.ts';
import { RadioGroup } from '../../ui/forms/radio-group.tsx';
import { Switch } from '../../ui/forms/switch.tsx';
import { type SettingProps, SettingRow } from './setting-row.tsx';
import { useSetting } from './use-setting.ts';

export function SwitchSetting({ path, label, hint }: SettingProps) {
  const { t } = useTranslation();
  const setting = useSetting(path);
  const { value, usual, isBusy, change } = setting;
  const word = (isOn: boolean): string => t(isOn ? 'settings.on' : 'settings.off');
  return (
    <SettingRow
      setting={setting}
      label={label}
      {...(hint === undefined ? {} : { hint })}
      usual={word(usual === true)}
    >
      {(ids) => (
        <span className="flex sm:justify-end">
          <Switch
            {...ids}
            label={<span aria-hidden="true">{word(value === true)}</span>}
            isOn={value === true}
            isDisabled={isBusy}
            onChange={change}
          />
        </span>
      )}
    </SettingRow>
  );
}

interface ChoiceSettingProps extends SettingProps {
  /** Label of what applies if nothing is set. */
  readonly unset?: string;
  readonly options: readonly { readonly value: string; readonly label: string; readonly hint?: string }[];
}

export function ChoiceSetting({ path, label, hint, options, unset }: ChoiceSettingProps) {
  const setting = useSetting(path);
  const { value = unset, usual = unset, isBusy, change } = setting;
  return (
    <SettingRow
      isWide
      setting={setting}
      label={label}
      {...(hint === undefined ? {} : { hint })}
      usual={options.find((option) => option.value === usual)?.label}
    >
      {() => (
        <RadioGroup
          label={label}
          layout="columns"
          value={typeof value === 'string' ? value : undefined}
          options={options}
          isDisabled={isBusy}
          onChange={change}
        />
      )}
    </SettingRow>
  );
}
