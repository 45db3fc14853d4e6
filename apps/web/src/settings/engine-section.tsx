/** Limits of a run, the size of the model's context, and how strictly rules are enforced. */
import { contextScopeSchema } from '@crewagent/protocol/settings';
import { useTranslation } from '../i18n/use-translation.ts';
import { ChoiceSetting, SwitchSetting } from './fields/choice-settings.tsx';
import { NumberSetting } from './fields/number-setting.tsx';
import { SettingsGate } from './settings-gate.tsx';
import { SettingsPart } from './settings-part.tsx';

export function EngineSection() {
  const { t } = useTranslation();
  const whole = { isWhole: true, least: 1, wrong: t('settings.wrong.whole') };
  return (
    <SettingsPart title={t('settings.names.engine')} text={t('engine.text')}>
      <SettingsGate>
        <NumberSetting
          path="limits.maxTurns"
          label={t('engine.maxTurns')}
          hint={t('engine.maxTurnsHint')}
          {...whole}
        />
        <NumberSetting
          path="limits.maxTokens"
          label={t('engine.maxTokens')}
          hint={t('engine.maxTokensHint')}
          {...whole}
        />
        <NumberSetting
          path="limits.maxCostUsd"
          label={t('engine.maxCost')}
          hint={t('engine.maxCostHint')}
          unit="USD"
          wrong={t('settings.wrong.number')}
        />
        <NumberSetting
          path="limits.maxMinutes"
          label={t('engine.maxMinutes')}
          hint={t('engine.maxMinutesHint')}
          unit={t('settings.units.minutes')}
          wrong={t('settings.wrong.number')}
        />
        <ChoiceSetting
          path="context.scope"
          label={t('engine.scope')}
          hint={t('engine.scopeHint')}
          options={contextScopeSchema.options.map((value) => ({
            value,
            label: t(`engine.scopes.${value}.name`),
            hint: t(`engine.scopes.${value}.text`),
          }))}
        />
        <SwitchSetting
          path="tools.strictState"
          label={t('engine.strictState')}
          hint={t('engine.strictStateHint')}
        />
        <SwitchSetting
          path="tools.strictOutputs"
          label={t('engine.strictOutputs')}
          hint={t('engine.strictOutputsHint')}
        />
        <SwitchSetting
          path="tools.readAhead"
          label={t('engine.readAhead')}
          hint={t('engine.readAheadHint')}
        />
      </SettingsGate>
    </SettingsPart>
  );
}
