/** Permanent approvals of all projects. */
import { useProjects } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { toShownLine } from '../ui/sanitize-text.ts';
import { AllowedForGood } from './allowed-for-good.tsx';

export function AllowedList() {
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
