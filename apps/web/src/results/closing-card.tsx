/** The end of a workflow: its main result to read, the outcome in a sentence, its files, what is proved, and what to do next. */
import type { JournalEntry } from '@crewagent/protocol/journal';
import { outputsStillMissing } from '@crewagent/protocol/story/node-visits';
import type { Story } from '@crewagent/protocol/story/story';
import { joinSentences } from '@crewagent/protocol/texts/texts';
import { ChevronDown, CircleCheck, FileX2 } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { useFileVersion } from '../api/files-queries.ts';
import { useChanges, useEvidence } from '../api/inspector-queries.ts';
import { useModels } from '../api/queries.ts';
import { useFileWatch } from '../files/use-file-watch.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { answeringModel } from '../models/answering-model.ts';
import { openInFront } from '../navigation/open-in-front.ts';
import { EvidenceLine, hasProof } from '../run/evidence-line.tsx';
import { useExports } from '../run/inspector/log/use-exports.tsx';
import type { Runs } from '../run/progress/to-progress.ts';
import { changeMarkOf } from '../run/to-artifacts.ts';
import { useDocumentExports } from '../run/use-document-exports.ts';
import { useIsAdmin, useMay } from '../state/team-server.ts';
import { Button } from '../ui/button.tsx';
import { ErrorLine } from '../ui/errors/error-note.tsx';
import { Menu } from '../ui/overlays/menu.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { MainResult } from './main-result.tsx';
import { ResultFiles } from './result-files.tsx';
import { RunFigures } from './run-figures.tsx';
import { RunForReal } from './run-for-real.tsx';
import { countStanding, type RunResults, toRunResults } from './to-run-results.ts';

const RightsLine = lazy(() => import('../run/file-use/rights-line.tsx'));
const StaleLine = lazy(() => import('../run/file-use/stale-line.tsx'));

interface ClosingCardProps {
  readonly projectId: string;
  readonly view: Readonly<Story>;
  /** All known runs, for the figures of called workflows. */
  readonly runs: Runs;
  /** It was shown before, and messages followed. */
  readonly isAgain?: boolean;
  /** Opens a tab of the inspector. */
  readonly onInspect: (tab: 'artifacts' | 'evidence') => void;
  /** In place of the card until it is there. */
  readonly room?: ReactNode;
}

export default function ClosingCard(props: ClosingCardProps) {
  const { t } = useTranslation();
  if (!props.isAgain) return <WholeCard {...props} />;
  return (
    <p className="my-2 flex items-center gap-2 text-sm text-ink-faint">
      <CircleCheck className="size-3.5 text-ok" />
      {t('phase.Completed')}
      <Button size="sm" kind="quiet" onClick={() => props.onInspect('artifacts')}>
        {t('after.files')}
      </Button>
    </p>
  );
}

function WholeCard({ projectId, view, runs, onInspect, room }: ClosingCardProps) {
  const { t } = useTranslation();
  const { files, changes, evidence, isReady } = useResults(projectId, view);
  const missing = outputsStillMissing(view.visits, view.state);
  const isRehearsal = view.model?.kind === 'rehearsal';
  const realModel = useRealModel();
  const { mayStart, mayRunForReal } = useMayStart(projectId);
  const used = {
    workId: view.runId,
    mark: String(view.lastSeq),
    titleOf: (nodeId: string) => view.nodes.find(({ id }) => id === nodeId)?.title || nodeId,
  };
  if (!isReady) return room;
  const hasFiles = files.results.length + files.yours.length > 0;
  return (
    <section
      aria-label={t('after.label')}
      className="my-3 flex flex-col gap-3 rounded-xl border bg-canvas p-3 sm:p-4"
    >
      {files.main === undefined ? undefined : (
        <MainResult
          key={files.main}
          projectId={projectId}
          path={files.main}
          version={lastVersionOf(files.main, changes)}
          isNext={!isRehearsal}
        />
      )}
      <div className="flex flex-col gap-1">
        <Outcome view={view} files={files} isWhole={missing.length === 0} mayRunForReal={mayRunForReal} />
        <RunFigures view={view} runs={runs} />
      </div>
      {missing.length === 0 ? undefined : <MissingFiles paths={missing} />}
      {evidence && hasProof(evidence) ? (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <EvidenceLine sheet={evidence} />
          <Button size="sm" kind="quiet" onClick={() => onInspect('evidence')}>
            {t('evidence.show')}
          </Button>
        </div>
      ) : undefined}
      {/* Their arrows stand at the edge of the texts above. */}
      <div className="-mx-1.5 flex flex-col gap-1 empty:hidden">
        <Suspense fallback={undefined}>
          <StaleLine {...used} />
          <RightsLine {...used} />
        </Suspense>
      </div>
      <ResultFiles projectId={projectId} view={view} files={files} changes={changes} />
      <div className="flex flex-wrap gap-2">
        {isRehearsal && mayRunForReal ? (
          <RunForReal projectId={projectId} rehearsed={view} model={realModel} />
        ) : undefined}
        {hasFiles ? <Button onClick={() => onInspect('artifacts')}>{t('after.files')}</Button> : undefined}
        <ExportMenu projectId={projectId} view={view} main={files.main} />
        {mayStart ? (
          <Button onClick={() => openInFront({ name: 'project', projectId })}>{t('after.begin')}</Button>
        ) : undefined}
      </div>
    </section>
  );
}

/**
 * What the card shows, which arrives together: parts that came one by one would push each other down. A part that cannot be loaded
 * is not waited for.
 */
function useResults(projectId: string, view: Readonly<Story>) {
  useFileWatch(projectId);
  // Which files are still there is known with the changes.
  const listed = useChanges(view.runId, changeMarkOf(view));
  // While they are read again, those of before: a file that was undone meanwhile is not asked for.
  const [known, setKnown] = useState(NO_CHANGES);
  if (listed.data && listed.data !== known) setKnown(listed.data);
  const changes = listed.data ?? known;
  const files = useMemo(() => toRunResults(view, changes), [view, changes]);
  const evidence = useEvidence(view.runId, String(view.lastSeq));
  const { main = '' } = files;
  const preview = useFileVersion(projectId, main, lastVersionOf(main, changes), {
    enabled: main !== '' && !listed.isPending,
  });
  const models = useModels();
  const isAwaited = [listed, evidence, models, ...(main === '' ? [] : [preview])].some(
    ({ isPending, failureCount }) => isPending && failureCount === 0,
  );
  // What changes later, such as a file that is undone, changes in its place.
  const [isReady, setReady] = useState(false);
  if (!isAwaited && !isReady) setReady(true);
  return { files, changes, evidence: evidence.data, isReady };
}

const NO_CHANGES: readonly JournalEntry[] = [];

function lastVersionOf(path: string, changes: readonly JournalEntry[]): string {
  return changes.findLast((change) => change.path === path && !change.undone)?.sha256After ?? '';
}

interface ExportMenuProps extends Pick<ClosingCardProps, 'projectId' | 'view'> {
  readonly main: string | undefined;
}

/** The main result, or the hand-over of the run, for somebody else. */
function ExportMenu({ projectId, view, main }: ExportMenuProps) {
  const { t } = useTranslation();
  const file = useDocumentExports({ projectId, workId: view.runId, path: main ?? '' });
  const run = useExports(projectId, view);
  return (
    <>
      <Menu
        label={t('inspector.export.label')}
        align="start"
        items={[...file.items, 'separator', ...run.items]}
        trigger={
          <Button>
            {t('inspector.export.label')}
            <ChevronDown className="size-3.5" />
          </Button>
        }
      />
      <ErrorLine issue={file.issue ?? run.issue} />
    </>
  );
}

interface OutcomeProps {
  readonly view: Readonly<Story>;
  readonly files: RunResults;
  readonly isWhole: boolean;
  readonly mayRunForReal: boolean;
}

/** What came of the run, in a sentence. The timeline has said that it is complete. */
function Outcome({ view, files, isWhole, mayRunForReal }: OutcomeProps) {
  const { t } = useTranslation();
  const realModel = useRealModel();
  const [results, yours] = [countStanding(files.results), countStanding(files.yours)];
  const parts = [
    ...(results > 0 ? [t('after.made', { count: results })] : []),
    ...(yours > 0 ? [t('after.changed', { count: yours })] : []),
  ];
  const outcome =
    parts.length === 0 ? t('after.nothing') : t('after.outcome', { parts: parts.join(t('after.and')) });
  const sentences =
    view.model?.kind === 'rehearsal'
      ? [
          t(files.results.length + files.yours.length > 0 ? 'after.rehearsed' : 'after.rehearsedNoFiles'),
          ...(mayRunForReal ? [t(realModel === undefined ? 'after.connectHint' : 'after.runHint')] : []),
        ]
      : [...(isWhole ? [] : [t('after.over')]), outcome];
  return <p className="text-ink">{joinSentences(...sentences)}</p>;
}

/** The name of the model that would answer; undefined if none is set up. */
function useRealModel(): string | undefined {
  const { data: models } = useModels();
  const model = models && answeringModel(models);
  return model === undefined || model.kind === 'rehearsal' ? undefined : model.name;
}

/** Of a team, only administrators connect models. */
function useMayStart(projectId: string) {
  const mayStart = useMay(projectId, 'run');
  const isAdmin = useIsAdmin();
  const hasModel = useRealModel() !== undefined;
  return { mayStart, mayRunForReal: mayStart && (hasModel || isAdmin) };
}

function MissingFiles({ paths }: { readonly paths: readonly string[] }) {
  const { t } = useTranslation();
  return (
    <div>
      <p id="missing-files" className="font-medium text-warn">
        {t('after.missing', { count: paths.length })}
      </p>
      <ul aria-labelledby="missing-files" className="mt-1 flex flex-col gap-0.5">
        {paths.map((path) => (
          <li key={path} className="flex items-start gap-2 text-ink-soft">
            <FileX2 className="mt-0.5 size-4 shrink-0 text-warn" />
            <bdi className="min-w-0 font-mono text-sm wrap-anywhere">{toShownLine(path)}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}
