/** Files of the project that a run changed, or created outside the results folder, each with undo. */
import type { Story } from '@crewagent/protocol/story/story';
import { FilePen, Undo2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useChanges } from '../../api/inspector-queries.ts';
import { withoutMount } from '../../files/paths.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { FileDiffView } from '../../run/inspector/artifacts/file-diff-view.tsx';
import { type Artifact, changeMarkOf, ownerOf, toArtifacts } from '../../run/to-artifacts.ts';
import { UndoOutcome, undoOf, useUndo } from '../../run/undo/use-undo.tsx';
import { openFile } from '../../state/open-files.ts';
import { Button } from '../../ui/button.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';

interface ChangedFilesProps {
  readonly projectId: string;
  readonly view: Readonly<Story>;
}

export function ChangedFiles({ projectId, view }: ChangedFilesProps) {
  const { t } = useTranslation();
  const mark = changeMarkOf(view);
  const { data: changes = [] } = useChanges(view.runId, mark);
  const undo = useUndo(projectId, view.runId);
  const [opened, setOpened] = useState<string>();
  const yours = toArtifacts(changes).filter((file) => file.changes[0]?.kind !== 'created');
  const standing = yours.filter(({ kind }) => kind !== 'undone');
  if (yours.length === 0) return undefined;
  return (
    <div className="flex flex-col gap-2">
      <p id="your-files" className="flex items-center gap-2 font-medium">
        <FilePen className="size-4 shrink-0 text-accent-text" />
        {standing.length === 0 ? t('changes.wasUndone') : t('changes.yours', { count: standing.length })}
      </p>
      <ul aria-labelledby="your-files" className="divide-y rounded-lg border bg-surface">
        {yours.map((file) => (
          <li key={file.path} className="flex flex-col gap-2 px-3 py-1.5">
            <UndoableFile
              file={file}
              isBusy={undo.isBusy}
              onUndo={() => undo.run('undo', ...undoOf(file.changes))}
            >
              {(named) => {
                const isOpen = opened === file.path;
                const label = t(isOpen ? 'changes.hide' : 'changes.review');
                return (
                  <Button
                    size="sm"
                    aria-expanded={isOpen}
                    aria-label={named(label)}
                    onClick={() => setOpened(isOpen ? undefined : file.path)}
                  >
                    {label}
                  </Button>
                );
              }}
            </UndoableFile>
            {opened === file.path ? (
              <div className="pt-5">
                <FileDiffView of={{ workId: ownerOf(file) ?? view.runId, path: file.path, mark }} />
              </div>
            ) : undefined}
          </li>
        ))}
      </ul>
      <UndoOutcome projectId={projectId} undo={undo} changes={changes} />
    </div>
  );
}

interface CreatedFilesProps extends ChangedFilesProps {
  /** Mount paths that are listed as results. */
  readonly results: readonly string[];
}

/** Files that the results folder does not contain would otherwise be nowhere in sight. */
export function CreatedFiles({ projectId, view, results }: CreatedFilesProps) {
  const { t } = useTranslation();
  const { data: changes = [] } = useChanges(view.runId, changeMarkOf(view));
  const undo = useUndo(projectId, view.runId);
  const created = toArtifacts(changes).filter(
    ({ path, kind, changes: [first] }) =>
      first?.kind === 'created' && kind !== 'deleted' && !results.includes(path),
  );
  if (created.length === 0) return undefined;
  return (
    <div className="flex flex-col gap-2">
      <p id="created-files" className="font-medium">
        {t('changes.alsoCreated')}
      </p>
      <ul aria-labelledby="created-files" className="divide-y rounded-lg border bg-surface">
        {created.map((file) => (
          <li key={file.path} className="px-3 py-1.5">
            <UndoableFile
              file={file}
              isBusy={undo.isBusy}
              onUndo={() => undo.run('undo', ...undoOf(file.changes))}
            >
              {(named) => (
                <Button
                  size="sm"
                  aria-label={named(t('action.open'))}
                  onClick={() => openFile(projectId, file.path, { takesFocus: true })}
                >
                  {t('action.open')}
                </Button>
              )}
            </UndoableFile>
          </li>
        ))}
      </ul>
      <UndoOutcome projectId={projectId} undo={undo} changes={changes} />
    </div>
  );
}

interface UndoableFileProps {
  readonly file: Artifact;
  readonly isBusy: boolean;
  readonly onUndo: () => void;
  /** The first button of a file that is not undone; `named` adds the path to its label. */
  readonly children: (named: (action: string) => string) => ReactNode;
}

function UndoableFile({ file, isBusy, onUndo, children }: UndoableFileProps) {
  const { t } = useTranslation();
  const path = toShownLine(withoutMount(file.path));
  const named = (action: string): string => t('changes.named', { action, path });
  return (
    <div className="flex flex-wrap items-center gap-2">
      <bdi className="min-w-0 grow truncate font-mono text-sm">{path}</bdi>
      {file.kind === 'undone' ? (
        <span className="flex items-center gap-1 text-sm text-ink-faint">
          <Undo2 className="size-3.5" />
          {t('changes.wasUndone')}
        </span>
      ) : (
        <>
          {children(named)}
          {file.changes.every(({ undoable, undone }) => undoable || undone) ? (
            <Button size="sm" isBusy={isBusy} aria-label={named(t('action.undo'))} onClick={onUndo}>
              {t('action.undo')}
            </Button>
          ) : undefined}
        </>
      )}
    </div>
  );
}
