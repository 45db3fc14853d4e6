/** Where one begins: the way on, what waits, then the three things work needs: a model, a folder, a package. */

import { useWork } from '../api/work-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { FolderCard } from './folder-card.tsx';
import { InboxSection } from './inbox-section.tsx';
import { ModelCard } from './model-card.tsx';
import { PackageCard } from './package-card.tsx';
import { TryExample } from './try-example.tsx';
import { NextStep } from './way-on.tsx';

export default function StartScreen() {
  const { t } = useTranslation();
  const { issue } = useWork();
  return (
    <div className="@container h-full overflow-auto bg-canvas">
      <div className="mx-auto flex max-w-6xl flex-col gap-5 px-4 py-8 sm:px-6 md:py-10">
        <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
          <div>
            <h1 className="text-xl font-semibold">{t('start.title')}</h1>
            <p className="mt-1 text-ink-faint">{t('start.text')}</p>
          </div>
          <NextStep />
        </header>
        <ErrorNote issue={issue} title={t('connection.lost')} />
        <InboxSection />
        <TryExample />
        <div className="grid gap-5 @4xl:grid-cols-3">
          <ModelCard />
          <FolderCard />
          <PackageCard />
        </div>
      </div>
    </div>
  );
}
