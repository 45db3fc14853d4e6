/** Recent file changes made by people, each with undo or redo. */
import type { FileChange } from '@crewagent/protocol/api/files';
import { FilePen, FilePlus2, FolderInput, History, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useFileChanges } from '../../api/files-queries.ts';
import { formatWhen } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useAction } from '../../ui/use-action.ts';
import { toShownPath } from '../paths.ts';
import { useFileActions } from '../use-file-actions.ts';

interface ChangesDialogProps {
  readonly projectId: string;
  readonly issue?: { readonly id: string; readonly error: Error } | undefined;
  readonly onClose: () => void;
}

const MAX_SHOWN = 100;

export function ChangesDialog({ projectId, issue, onClose }: ChangesDialogProps) {
  const { t } = useTranslation();
  const { data: changes, error } = useFileChanges(projectId);
  return (
    <Dialog isOpen title={t('files.changes.title')} description={t('files.changes.text')} onClose={onClose}>
      <ErrorNote issue={error} />
      {changes === undefined && !error ? <Skeleton className="h-24" /> : undefined}
      {changes?.length === 0 ? (
        <EmptyState icon={<History />} title={t('files.changes.empty')}>
          {t('files.changes.emptyText')}
        </EmptyState>
      ) : undefined}
      <ol aria-label={t('files.changes.title')} className="flex flex-col">
        {changes?.slice(0, MAX_SHOWN).map((change) => (
          <ChangeRow
            key={change.id}
            projectId={projectId}
            change={change}
            firstIssue={issue?.id === change.id ? issue.error : undefined}
          />
        ))}
      </ol>
    </Dialog>
  );
}

interface ChangeRowProps {
  readonly projectId: string;
  readonly change: FileChange;
  readonly firstIssue: Error | undefined;
}

function ChangeRow({ projectId, change, firstIssue }: ChangeRowProps) {
  const { t } = useTranslation();
  const { undo, redo } = useFileActions(projectId);
  const [hasTried, setTried] = useState(false);
  const move = useAction(() => {
    setTried(true);
    return change.isUndone ? redo(change.id) : undo(change.id);
  });
  const Icon = ICONS[change.kind];
  const shown = (path: string | undefined): string => toShownLine(toShownPath(path ?? ''));
  const what = t(`files.changes.kinds.${change.kind}`, { path: shown(change.path), to: shown(change.to) });
  return (
    <li className="flex flex-col gap-2 border-b py-2 last:border-0">
      <div className="flex items-center gap-2.5">
        <Icon aria-hidden="true" className="size-4 shrink-0 text-ink-faint" />
        <div className={classNames('min-w-0 grow', change.isUndone && 'text-ink-faint')}>
          <p className="wrap-anywhere">{what}</p>
          <p className="text-xs text-ink-faint">
            {formatWhen(change.at)}
            {change.isUndone ? ` · ${t('files.changes.undone')}` : ''}
          </p>
        </div>
        {change.isUndoable || change.isUndone ? (
          <Button
            size="sm"
            isBusy={move.isBusy}
            aria-label={t(change.isUndone ? 'files.changes.redoThis' : 'files.changes.undoThis', { what })}
            onClick={() => move.run()}
          >
            {t(change.isUndone ? 'files.redo' : 'action.undo')}
          </Button>
        ) : (
          <span className="text-xs text-ink-faint">{t('files.changes.final')}</span>
        )}
      </div>
      <ErrorNote issue={move.issue ?? (hasTried ? undefined : firstIssue)} />
    </li>
  );
}

const ICONS = { saved: FilePen, created: FilePlus2, moved: FolderInput, removed: Trash2 } as const;
