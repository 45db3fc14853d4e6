/** Existing files that a run changed: listed before the ones it created, each with review and undo. */
import type { RunView } from '@crewagent/protocol/run-view';
import { FilePen, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useChanges } from '../../api/inspector-queries.ts';
import { toShownPath } from '../../files/paths.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { FileDiffView } from '../../run/inspector/artifacts/file-diff-view.tsx';
import { type Artifact, changeMarkOf, ownerOf, toArtifacts } from '../../run/to-artifacts.ts';
import { UndoOutcome } from '../../run/undo/undo-outcome.tsx';
import { undoOf, useUndo } from '../../run/undo/use-undo.ts';
import { Button } from '../../ui/button.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';

interface ChangedFilesProps {
  readonly projectId: string;
  readonly view: Readonly<RunView>;
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
        <FilePen aria-hidden="true" className="size-4 shrink-0 text-accent-text" />
        {standing.length === 0 ? t('changes.wasUndone') : t('changes.yours', { count: standing.length })}
      </p>
      <ul aria-labelledby="your-files" className="divide-y rounded-lg border bg-surface">
        {yours.map((file) => (
          <li key={file.path} className="flex flex-col gap-2 px-3 py-1.5">
            <ChangedFile
              file={file}
              isOpen={opened === file.path}
              isBusy={undo.isBusy}
              onReview={() => setOpened(opened === file.path ? undefined : file.path)}
              onUndo={() => undo.run('undo', ...undoOf(file.changes))}
            />
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

interface ChangedFileProps {
  readonly file: Artifact;
  readonly isOpen: boolean;
  readonly isBusy: boolean;
  readonly onReview: () => void;
  readonly onUndo: () => void;
}

function ChangedFile({ file, isOpen, isBusy, onReview, onUndo }: ChangedFileProps) {
  const { t } = useTranslation();
  const path = toShownLine(toShownPath(file.path));
  const named = (action: string): string => t('changes.named', { action, path });
  return (
    <div className="flex flex-wrap items-center gap-2">
      <bdi className="min-w-0 grow truncate font-mono text-sm">{path}</bdi>
      {file.kind === 'undone' ? (
        <span className="flex items-center gap-1 text-sm text-ink-faint">
          <Undo2 aria-hidden="true" className="size-3.5" />
          {t('changes.wasUndone')}
        </span>
      ) : (
        <>
          <Button
            size="sm"
            aria-expanded={isOpen}
            aria-label={named(t(isOpen ? 'changes.hide' : 'changes.review'))}
            onClick={onReview}
          >
            {t(isOpen ? 'changes.hide' : 'changes.review')}
          </Button>
          {file.changes.every(({ undoable, undone }) => undoable || undone) ? (
            <Button size="sm" isBusy={isBusy} aria-label={named(t('changes.undo'))} onClick={onUndo}>
              {t('changes.undo')}
            </Button>
          ) : undefined}
        </>
      )}
    </div>
  );
}
