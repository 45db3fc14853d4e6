/** The start screen: the next step, the inbox, then the three requirements: a model, a folder, a package. */

import { useWork } from '../api/work-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { BrandMark } from '../ui/brand-mark.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { FolderCard } from './folder-card.tsx';
import { InboxSection } from './inbox-section.tsx';
import { ModelCard } from './model-card.tsx';
import { NextStep } from './next-step.tsx';
import { PackageCard } from './package-card.tsx';
import { TryExample } from './try-example.tsx';

export default function StartScreen() {
  const { t } = useTranslation();
  const { issue } = useWork();
  return (
    <div className="@container h-full overflow-auto [scrollbar-gutter:stable] bg-canvas">
      <div className="page-column flex flex-col gap-5">
        <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
          <div className="flex items-center gap-3.5">
            <BrandMark className="size-11" />
            <div>
              <h1 className="text-xl font-semibold tracking-tight">CrewAgent</h1>
              <p className="mt-0.5 text-ink-faint">{t('start.text')}</p>
            </div>
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
