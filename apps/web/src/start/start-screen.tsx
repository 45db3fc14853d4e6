/** The start screen: the next step, the inbox, then the three requirements: a model, a folder, a package. */
import '../i18n/package-texts.ts';
import { Boxes, FileArchive, Users } from 'lucide-react';
import { lazy, Suspense, useEffect } from 'react';
import { useGallery, useProjects } from '../api/queries.ts';
import { useWork } from '../api/work-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { navigate } from '../navigation/router.ts';
import { ExampleList } from '../packages/example-list.tsx';
import { ImportPackage } from '../packages/import-package.tsx';
import { useMayInstall, useOffers } from '../state/team-server.ts';
import { BrandMark } from '../ui/brand-mark.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { Card } from './card.tsx';
import { useStartingExample } from './example-start.tsx';
import { FolderCard } from './folder-card.tsx';
import { InboxSection } from './inbox-section.tsx';
import { ModelCard } from './model-card.tsx';
import { NextStep } from './next-step.tsx';
import { TryExample } from './try-example.tsx';

export default function StartScreen() {
  const { t } = useTranslation();
  const { issue } = useWork();
  const hasFolders = useOffers('projects.open');
  const opensFiles = useOffers('bundles.upload');
  useEffect(() => () => useStartingExample.setState({ isStarting: false }), []);
  return (
    <div className="@container h-full overflow-auto [scrollbar-gutter:stable] bg-canvas">
      <div className="page-column flex flex-col gap-5">
        <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
          <div className="flex items-center gap-3.5">
            <BrandMark className="size-11" />
            <div>
              <h1 className="text-xl font-semibold tracking-tight">CrewAgent</h1>
              <p className="mt-0.5 text-ink-faint">{t(hasFolders ? 'start.text' : 'start.teamText')}</p>
            </div>
          </div>
          <NextStep />
        </header>
        <ErrorNote issue={issue} title={t('connection.lost')} />
        <InboxSection />
        {hasFolders ? <TryExample /> : undefined}
        <div className="grid gap-5 @4xl:grid-cols-3">
          <ModelCard />
          {hasFolders ? <FolderCard /> : <TeamProjectsCard />}
          <PackageCard />
        </div>
        {opensFiles ? (
          <Button
            kind="quiet"
            className="self-start"
            icon={<FileArchive className="size-4" />}
            onClick={() => navigate({ name: 'open' })}
          >
            {t('start.openRun')}
          </Button>
        ) : undefined}
      </div>
    </div>
  );
}

const TeamProjects = lazy(() => import('../team/team-projects-card.tsx'));

function TeamProjectsCard() {
  const { t } = useTranslation();
  const { data: projects } = useProjects();
  return (
    <Card
      icon={<Users />}
      title={t('projects.title')}
      text={t('projects.teamText')}
      isReady={projects !== undefined && projects.length > 0}
    >
      <Suspense fallback={<Skeleton className="h-40" />}>
        <TeamProjects />
      </Suspense>
    </Card>
  );
}

const MAX_SHOWN = 4;
/** The cards beside it are as high as this one. */
const MAX_EXAMPLES = 2;

/**
 * Installed packages, bundled ones, and adding another. Shows nothing below the list before the list is loaded: buttons would
 * move while they are pressed.
 */
function PackageCard() {
  const { t } = useTranslation();
  const { data: cards, error } = useGallery(false);
  const packages = cards?.filter(({ hash }) => hash !== undefined);
  const mayInstall = useMayInstall();
  const isSome = packages !== undefined && packages.length > 0;
  return (
    <Card icon={<Boxes />} title={t('packages.card')} text={t('packages.cardText')} isReady={isSome}>
      <ErrorNote issue={error} />
      {isSome ? (
        <div>
          <h3 className="mb-1 text-sm text-ink-faint">{t('packages.installedOnes')}</h3>
          <ul aria-label={t('rail.packages')} className="-mx-2 flex flex-col">
            {packages.slice(0, MAX_SHOWN).map(({ hash, title }) => (
              <li key={hash}>
                <button
                  type="button"
                  onClick={() => navigate({ name: 'packages', hash })}
                  className="flex w-full min-w-0 items-center gap-2.5 rounded-md px-2 py-1.5 text-start -outline-offset-2 hover:bg-hover"
                >
                  <Boxes className="size-4 shrink-0 text-ink-faint" />
                  <span className="min-w-0 grow truncate font-medium">{toShownLine(title)}</span>
                </button>
              </li>
            ))}
          </ul>
          {packages.length > MAX_SHOWN ? (
            <Button size="sm" kind="quiet" className="-ms-2" onClick={() => navigate({ name: 'packages' })}>
              {t('projects.showAll', { count: packages.length })}
            </Button>
          ) : undefined}
        </div>
      ) : undefined}
      {packages || error ? (
        <>
          {mayInstall ? <ImportPackage /> : undefined}
          {mayInstall ? <ExampleList limit={MAX_EXAMPLES} /> : undefined}
        </>
      ) : (
        <Skeleton className="h-40" />
      )}
    </Card>
  );
}
