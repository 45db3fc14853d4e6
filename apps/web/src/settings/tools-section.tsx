/** What tools may do on this machine; an agent of a package can only be restricted further. */
import { approvalPresetSchema, PAGE_APPROVAL } from '@crewagent/protocol/tools';
import { useProjects } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { toShownLine } from '../ui/sanitize-text.ts';
import { AllowedForGood } from './allowed-for-good.tsx';
import { CommandsSetting } from './commands-setting.tsx';
import { ChoiceSetting, SwitchSetting } from './fields/choice-settings.tsx';
import { NumberSetting } from './fields/number-setting.tsx';
import { ListSetting, TextSetting } from './fields/text-settings.tsx';
import { SettingsGate } from './settings-gate.tsx';
import { SettingsPart } from './settings-part.tsx';

export function ToolsSection() {
  const { t } = useTranslation();
  const size = { factor: 1024, unit: 'KB', isWhole: true, wrong: t('settings.wrong.size') };
  return (
    <SettingsPart title={t('settings.names.tools')} text={t('tools.text')}>
      <SettingsGate>
        <ChoiceSetting
          path="tools.approval"
          label={t('tools.approval')}
          unset={PAGE_APPROVAL}
          options={approvalPresetSchema.options.map((value) => ({
            value,
            label: t(`tools.approvals.${value}.name`),
            hint: t(`tools.approvals.${value}.text`),
          }))}
        />
        <AllowedList />
        <SwitchSetting path="tools.fs.enabled" label={t('tools.fs')} hint={t('tools.fsHint')} />
        <ListSetting
          path="tools.fs.secretPatterns"
          label={t('tools.secrets')}
          hint={t('tools.secretsHint')}
          placeholder={'salaries*.xlsx\n*-private.md'}
        />
        <ListSetting
          path="tools.fs.runsLaterPatterns"
          label={t('tools.runsLater')}
          hint={t('tools.runsLaterHint')}
          placeholder={'deploy*\nrelease.json'}
        />
        <TextSetting
          path="tools.artifactsDir"
          label={t('tools.artifactsDir')}
          hint={t('tools.artifactsDirHint')}
        />
        <NumberSetting
          path="tools.fs.maxReadBytes"
          label={t('tools.maxRead')}
          hint={t('tools.maxReadHint')}
          {...size}
        />
        <NumberSetting
          path="tools.fs.inlineReadBytes"
          label={t('tools.inlineRead')}
          hint={t('tools.inlineReadHint')}
          {...size}
        />
        <NumberSetting
          path="tools.fs.maxWriteBytes"
          label={t('tools.maxWrite')}
          hint={t('tools.maxWriteHint')}
          {...size}
        />
        <NumberSetting
          path="tools.toolTimeoutMs"
          label={t('tools.timeout')}
          hint={t('tools.timeoutHint')}
          factor={1000}
          isWhole
          unit={t('settings.units.seconds')}
          wrong={t('settings.wrong.number')}
        />
      </SettingsGate>
      <CommandsSetting />
    </SettingsPart>
  );
}

/** Permanent approvals of all projects. */
function AllowedList() {
  const { t } = useTranslation();
  const { data: projects = [] } = useProjects();
  const allowed = projects.filter(({ approvals }) => approvals.length > 0);
  return (
    <section aria-label={t('allowedList.title')} className="flex flex-col gap-1 border-b py-4">
      <h3 className="font-medium">{t('allowedList.title')}</h3>
      <p className="text-sm text-ink-faint">
        {t(allowed.length === 0 ? 'allowedList.none' : 'allowedList.text')}
      </p>
      {allowed.map((project) => (
        <div key={project.projectId} className="flex flex-col gap-1">
          <p className="text-sm font-medium wrap-anywhere">{toShownLine(project.name)}</p>
          <AllowedForGood project={project} />
        </div>
      ))}
    </section>
  );
}
