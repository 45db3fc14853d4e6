/** Packages to choose from: what each is called, needs and gives, what it looks like, and how earlier runs went. */
import '../../i18n/package-texts.ts';
import type { GalleryCard } from '@crewagent/protocol/api/packages';
import { FileInput, FileOutput, History, Play, UserRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { useProjects } from '../../api/queries.ts';
import { formatCost, formatDuration } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { openInFront } from '../../navigation/open-in-front.ts';
import { navigate } from '../../navigation/router.ts';
import { createdFiles, neededDocuments } from '../../run/progress/node/needed-documents.ts';
import { useWantedFolder } from '../../state/wanted-folder.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { useAction } from '../../ui/use-action.ts';
import { useInstalled } from '../install/use-installed.ts';
import { GraphSketch } from './graph-sketch.tsx';

interface GalleryProps {
  readonly label: string;
  readonly cards: readonly GalleryCard[];
}

export function Gallery({ label, cards }: GalleryProps) {
  return (
    <ul aria-label={label} className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
      {cards.map((card) => (
        <li key={card.hash ?? card.example}>
          <PackageCard card={card} />
        </li>
      ))}
    </ul>
  );
}

function PackageCard({ card }: { readonly card: GalleryCard }) {
  const { t } = useTranslation();
  const { hash, description, agents, workflows, graph } = card;
  const title = toShownLine(card.title);
  const begin = useBegin(card);
  return (
    <article aria-label={title} className="flex h-full flex-col overflow-hidden rounded-xl border bg-surface">
      <div className="h-28 border-b bg-sunken px-4 py-3">
        {graph ? <GraphSketch graph={graph} /> : <UserRound className="mx-auto h-full text-ink-faint" />}
      </div>
      <div className="flex grow flex-col gap-2 p-4">
        <h3 className="font-semibold wrap-anywhere">{title}</h3>
        {description ? (
          <p className="line-clamp-3 text-ink-soft wrap-anywhere">{toShownLine(description)}</p>
        ) : undefined}
        <CardFacts card={card} />
        <p className="text-sm text-ink-faint">
          {[t('packages.workflows', { count: workflows }), t('packages.agents', { count: agents })].join(
            ' · ',
          )}
        </p>
        <ErrorNote issue={begin.issue} />
        <div className="mt-auto flex flex-wrap items-center gap-2 pt-2">
          <Button
            icon={<Play className="size-3.5" />}
            isBusy={begin.isBusy}
            aria-label={t('gallery.beginOne', { title })}
            onClick={() => begin.run()}
          >
            {t('gallery.begin')}
          </Button>
          {hash === undefined ? undefined : (
            <Button
              kind="quiet"
              aria-label={t('gallery.detailsOf', { title })}
              onClick={() => navigate({ name: 'packages', hash })}
            >
              {t('gallery.details')}
            </Button>
          )}
        </div>
      </div>
    </article>
  );
}

const MAX_FILES = 3;

/** What it needs and gives, and what earlier runs took. */
function CardFacts({ card: { graph, history } }: { readonly card: GalleryCard }) {
  const { t } = useTranslation();
  const needed = neededDocuments(graph?.nodes ?? []);
  const created = createdFiles(graph?.nodes ?? []);
  const took = [
    history && t('gallery.runs', { count: history.completed }),
    history?.medianMs !== undefined && t('gallery.about', { time: formatDuration(history.medianMs) }),
    history && (history.costUsd === undefined ? t('usage.priceUnknown') : formatCost(history.costUsd)),
  ].filter((part) => typeof part === 'string');
  return (
    <dl className="grid grid-cols-[auto_auto_1fr] gap-x-2 gap-y-1 text-sm">
      {graph ? (
        <Fact icon={<FileInput />} name={t('gallery.needs')}>
          {needed.length === 0 ? t('gallery.needsNothing') : toNames(needed)}
        </Fact>
      ) : undefined}
      {created.length > 0 ? (
        <Fact icon={<FileOutput />} name={t('gallery.gives')}>
          {toNames(created)}
        </Fact>
      ) : undefined}
      {took.length > 0 ? (
        <Fact icon={<History />} name={t('gallery.before')}>
          {took.join(' · ')}
        </Fact>
      ) : undefined}
    </dl>
  );
}

/** File names without their folders, the last ones first: those are usually the results. */
function toNames(paths: readonly string[]): string {
  const names = paths.map((path) => toShownLine(path.replace(/^.*\//, ''))).toReversed();
  const more = names.length - MAX_FILES;
  return `${names.slice(0, MAX_FILES).join(', ')}${more > 0 ? ` +${more}` : ''}`;
}

interface FactProps {
  readonly icon: ReactNode;
  readonly name: string;
  readonly children: ReactNode;
}

function Fact({ icon, name, children }: FactProps) {
  return (
    <div className="col-span-3 grid grid-cols-subgrid [&_svg]:mt-0.5 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-ink-faint">
      {icon}
      <dt className="shrink-0 text-ink-faint">{name}</dt>
      <dd className="min-w-0 text-ink-soft wrap-anywhere">{children}</dd>
    </div>
  );
}

/** Installs an example first, then opens the screen that starts it: in the last project, or in a folder that is chosen. */
function useBegin({ hash, example }: GalleryCard) {
  const { installToBegin } = useInstalled();
  const { data: projects } = useProjects();
  return useAction(async () => {
    const packageHash = hash ?? (example === undefined ? undefined : await installToBegin(example));
    const last = projects?.find(({ exists }) => exists);
    if (last) openInFront({ name: 'project', projectId: last.projectId, packageHash });
    else {
      useWantedFolder.setState({ isWanted: true });
      navigate({ name: 'start' });
    }
  });
}
