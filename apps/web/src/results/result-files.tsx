/** The files of a completed run in one list: those of the person that it changed, then its results; each with its actions. */
import type { JournalEntry } from '@crewagent/protocol/journal';
import type { Story } from '@crewagent/protocol/story/story';
import { Undo2 } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useId, useMemo, useState } from 'react';
import { type DiffOf, useFileDiff } from '../api/inspector-queries.ts';
import { FileIcon } from '../files/file-kinds.tsx';
import { nameOf, parentOf, withoutMount } from '../files/paths.ts';
import { formatNumber } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { FileDiffView } from '../run/inspector/artifacts/file-diff-view.tsx';
import { useIsReadOnly } from '../run/past.ts';
import { changeMarkOf } from '../run/to-artifacts.ts';
import { redoOf, UndoOutcome, undoOf, useUndo } from '../run/undo/use-undo.tsx';
import { openFile } from '../state/open-files.ts';
import { Button } from '../ui/button.tsx';
import { DiffStat } from '../ui/code/diff-stat.tsx';
import { parseDiff } from '../ui/code/parse-diff.ts';
import { toShownLine } from '../ui/sanitize-text.ts';
import { countStanding, type RunFile, type RunResults } from './to-run-results.ts';

interface ResultFilesProps {
  readonly projectId: string;
  readonly view: Readonly<Story>;
  readonly files: RunResults;
  /** All changes of the run. */
  readonly changes: readonly JournalEntry[];
}

export function ResultFiles({ projectId, view, files, changes }: ResultFilesProps) {
  const { t } = useTranslation();
  const undo = useUndo(projectId, view.runId);
  const isReadOnly = useIsReadOnly();
  const [reviewed, setReviewed] = useState<string>();
  const mark = changeMarkOf(view);
  const toRow = (file: RunFile): ReactNode => (
    <FileRow
      key={file.path}
      file={file}
      diffOf={{
        // From before the first change, whichever run made it, to the file as it is.
        workId: file.artifact?.changes[0]?.runId ?? view.runId,
        path: file.path,
        mark,
      }}
      runId={view.runId}
      staleMark={String(view.lastSeq)}
      isReviewed={reviewed === file.path}
      isBusy={undo.isBusy}
      onOpen={() => openFile(projectId, file.path, { takesFocus: true })}
      onReview={() => setReviewed(reviewed === file.path ? undefined : file.path)}
      onUndo={isReadOnly ? undefined : () => undo.run('undo', ...undoOf(file.artifact?.changes ?? []))}
      onRedo={isReadOnly ? undefined : () => undo.run('redo', ...redoOf(file.artifact?.changes ?? []))}
    />
  );
  if (files.yours.length + files.results.length === 0) return undefined;
  return (
    <div className="flex flex-col gap-2">
      <div className="divide-y overflow-clip rounded-lg border bg-surface">
        <Group title={t('after.yours', { number: count(files.yours) })} files={files.yours} toRow={toRow} />
        <Group
          title={t('after.results', { number: count(files.results) })}
          files={files.results}
          toRow={toRow}
        />
      </div>
      <UndoOutcome projectId={projectId} undo={undo} changes={changes} />
    </div>
  );
}

function count(files: readonly RunFile[]): string {
  return formatNumber(countStanding(files));
}

interface GroupProps {
  readonly title: string;
  readonly files: readonly RunFile[];
  readonly toRow: (file: RunFile) => ReactNode;
}

const MAX_ROWS = 3;

function Group({ title, files, toRow }: GroupProps) {
  const { t } = useTranslation();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  if (files.length === 0) return undefined;
  const more = isOpen || files.length <= MAX_ROWS + 1 ? 0 : files.length - MAX_ROWS;
  return (
    <div>
      <p id={id} className="bg-sunken px-3 py-1 text-sm font-medium text-ink-soft">
        {title}
      </p>
      <ul aria-labelledby={id} className="divide-y border-t">
        {files.slice(0, files.length - more).map(toRow)}
      </ul>
      {more > 0 ? (
        <Button kind="quiet" size="sm" className="m-1" onClick={() => setOpen(true)}>
          {t('after.more', { count: more })}
        </Button>
      ) : undefined}
    </div>
  );
}

interface FileRowProps {
  readonly file: RunFile;
  readonly diffOf: DiffOf;
  readonly runId: string;
  /** Changes when the run may have stale results. */
  readonly staleMark: string;
  readonly isReviewed: boolean;
  readonly isBusy: boolean;
  readonly onOpen: () => void;
  readonly onReview: () => void;
  /** Undefined for somebody who may only look. */
  readonly onUndo: (() => void) | undefined;
  readonly onRedo: (() => void) | undefined;
}

const StaleBadge = lazy(() => import('../run/file-use/stale-badge.tsx'));

function FileRow({ file: { path, artifact }, diffOf, isReviewed, runId, staleMark, ...on }: FileRowProps) {
  const { t } = useTranslation();
  const shown = toShownLine(withoutMount(path));
  const named = (action: string): string => t('changes.named', { action, path: shown });
  const folder = toShownLine(withoutMount(parentOf(path)));
  const isUndone = artifact?.kind === 'undone';
  const canMove = artifact?.changes.every(({ undoable, undone }) => undoable || undone) ?? false;
  const move = isUndone ? on.onRedo : on.onUndo;
  const moveLabel = t(isUndone ? 'inspector.files.redo' : 'action.undo');
  const review = t(isReviewed ? 'changes.hide' : 'changes.review');
  return (
    <li className="flex flex-col px-3 py-1.5">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <FileIcon name={nameOf(path)} />
        <span className="flex min-w-0 grow basis-40 items-baseline gap-x-2">
          {/* The folder gives way first. */}
          <bdi className="max-w-full shrink-0 truncate font-medium" title={shown}>
            {toShownLine(nameOf(path))}
          </bdi>
          <bdi className="min-w-0 truncate text-xs text-ink-faint">{folder}</bdi>
        </span>
        <Suspense fallback={undefined}>
          <StaleBadge workId={runId} mark={staleMark} of={{ path }} />
        </Suspense>
        {/* The opened diff says it as well. */}
        {artifact && !isUndone && !isReviewed ? <ChangedLines of={diffOf} /> : undefined}
        {isUndone ? (
          <span className="flex items-center gap-1 text-sm text-ink-faint">
            <Undo2 className="size-3.5" />
            {t('changes.wasUndone')}
          </span>
        ) : undefined}
        <span className="flex gap-1">
          {artifact?.isThere === false || isUndone ? undefined : (
            <Button size="sm" kind="quiet" aria-label={named(t('action.open'))} onClick={on.onOpen}>
              {t('action.open')}
            </Button>
          )}
          {artifact && !isUndone ? (
            <Button
              size="sm"
              kind="quiet"
              aria-expanded={isReviewed}
              aria-label={named(review)}
              onClick={on.onReview}
            >
              {review}
            </Button>
          ) : undefined}
          {canMove && move ? (
            // One button for both: it keeps its place and the focus.
            <Button size="sm" kind="quiet" isBusy={on.isBusy} aria-label={named(moveLabel)} onClick={move}>
              {moveLabel}
            </Button>
          ) : undefined}
        </span>
      </div>
      {isReviewed && !isUndone ? (
        <div className="pt-7 pb-1.5">
          <FileDiffView of={diffOf} />
        </div>
      ) : undefined}
    </li>
  );
}

/** Lines added and removed since the start of the run; nothing for a file that is not text. */
function ChangedLines({ of }: { readonly of: DiffOf }) {
  const { data } = useFileDiff(of);
  const diff = useMemo(() => (data?.diff === undefined ? undefined : parseDiff(data.diff)), [data]);
  return diff ? <DiffStat diff={diff} /> : undefined;
}
