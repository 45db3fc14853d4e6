/** What tools may do on this machine; an agent of a package can only be restricted further. */
import { Fragment } from 'react';
import { useProjects } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { toShownLine } from '../ui/sanitize-text.ts';
import { CommandsSetting } from './commands-setting.tsx';
import { AllowedForGood } from './data-section.tsx';
import { settingsOf } from './setting-index.ts';
import { SettingField, SettingsGate, SettingsPart } from './settings-part.tsx';

export function ToolsSection() {
  return (
    <SettingsPart section="tools">
      <SettingsGate>
        {settingsOf('tools').map((path) => (
          <Fragment key={path}>
            <SettingField path={path} />
            {path === 'tools.approval' ? <AllowedList /> : undefined}
          </Fragment>
        ))}
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
