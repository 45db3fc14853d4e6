/** Where one begins: what waits, the projects, the packages, and which model answers. */
import { useTranslation } from 'react-i18next';
import { useWork } from '../api/work-context.tsx';
import { toShownText } from '../ui/foreign-text.ts';
import { Note } from '../ui/note.tsx';
import { InboxSection } from './inbox-section.tsx';
import { ModelSection } from './model-section.tsx';
import { PackagesSection } from './packages-section.tsx';
import { ProjectsSection } from './projects-section.tsx';

export function StartScreen() {
  const { t } = useTranslation();
  const { fault } = useWork();
  return (
    <div className="h-full overflow-auto bg-surface">
      <div className="mx-auto max-w-3xl px-4 py-10 sm:px-6">
        <h1 className="text-xl font-semibold">{t('start.title')}</h1>
        <p className="mt-1 text-ink-faint">{t('start.text')}</p>
        {fault ? (
          <div className="mt-6">
            <Note level="error" title={t('connection.lost')} advice={t('connection.how')}>
              {toShownText(fault.message)}
            </Note>
          </div>
        ) : undefined}
        <InboxSection />
        <ProjectsSection />
        <PackagesSection />
        <ModelSection />
      </div>
    </div>
  );
}
