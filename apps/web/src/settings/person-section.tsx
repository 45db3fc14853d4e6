/** The user's name and languages, as models use them. */
import { useTranslation } from '../i18n/use-translation.ts';
import { TextSetting } from './fields/text-settings.tsx';
import { InputsPart } from './inputs-part.tsx';
import { SettingsGate } from './settings-gate.tsx';
import { SettingsPart } from './settings-part.tsx';

export function PersonSection() {
  const { t } = useTranslation();
  return (
    <SettingsPart title={t('settings.names.person')} text={t('person.text')}>
      <SettingsGate>
        <TextSetting path="person.name" label={t('person.name')} hint={t('person.nameHint')} />
        <TextSetting path="person.language" label={t('person.language')} hint={t('person.languageHint')} />
        <TextSetting
          path="person.documentLanguage"
          label={t('person.documentLanguage')}
          hint={t('person.documentLanguageHint')}
        />
        <InputsPart />
      </SettingsGate>
    </SettingsPart>
  );
}
