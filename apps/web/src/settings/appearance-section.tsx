/** How this page looks, speaks and sounds; kept by this browser, needs no server. */
import '../i18n/settings-texts.ts';
import { describeField } from '@crewagent/protocol/describe-fields';
import type { Language } from '@crewagent/protocol/languages';
import { fieldText, useTranslation } from '../i18n/use-translation.ts';
import { appearanceSchema, LANGUAGE_NAMES, useAppearance } from '../state/appearance.ts';
import { playSound, useNews } from '../state/news.ts';
import { Switch } from '../ui/forms/checkbox.tsx';
import { choicesOf, FieldControl } from '../ui/forms/field-control.tsx';
import { SettingRow } from './setting-row.tsx';
import { SettingsPart } from './settings-part.tsx';

const FIELDS = Object.entries(describeField(appearanceSchema).fields ?? {});

export function AppearanceSection() {
  const { t } = useTranslation();
  const chosen = useAppearance();
  const { wantsSound } = useNews();
  const sound = t('fields.appearance.sound.label');
  return (
    <SettingsPart section="appearance">
      {FIELDS.map(([name, field]) => {
        const path = `appearance.${name}`;
        const label = fieldText(t, path, 'label') ?? name;
        const value = chosen[name as keyof typeof chosen] ?? '';
        const choices = choicesOf(t, path, field) ?? [];
        return (
          <SettingRow
            key={name}
            label={label}
            hint={choices.find((choice) => choice.value === value)?.hint}
            layout="line"
          >
            {(ids) => (
              <FieldControl
                {...{ field, ids, label }}
                layout="line"
                typed={value}
                // The hint is that of the choice.
                choices={choices.map((choice) => ({
                  value: choice.value,
                  label: LANGUAGE_NAMES[choice.value as Language] ?? choice.label,
                }))}
                onChange={(next) => useAppearance.setState({ [name]: next === '' ? undefined : next })}
              />
            )}
          </SettingRow>
        );
      })}
      <SettingRow label={sound} hint={t('fields.appearance.sound.hint')} layout="line">
        {() => (
          <span className="justify-self-start px-2 py-1.5 sm:justify-self-end">
            <Switch
              label={<span className="sr-only">{sound}</span>}
              isOn={wantsSound}
              onChange={(isOn) => {
                useNews.setState({ wantsSound: isOn });
                // What it sounds like.
                if (isOn) playSound();
              }}
            />
          </span>
        )}
      </SettingRow>
    </SettingsPart>
  );
}
