/** Renders the open dialog about files of a project. */
import { ApiError } from '@crewagent/protocol/api/client';
import type { FileChange } from '@crewagent/protocol/api/files';
import { FilePen, FilePlus2, FolderInput, History, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useFileChanges, useFoundFiles } from '../../api/files-queries.ts';
import { formatWhen } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { PaletteFrame } from '../../palette/palette-frame.tsx';
import { closeFile } from '../../state/open-files.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { toErrorLine } from '../../ui/errors/error-texts.ts';
import { TextField } from '../../ui/forms/simple-fields.tsx';
import { AlertDialog } from '../../ui/overlays/alert-dialog.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useAction } from '../../ui/use-action.ts';
import { joinPath, nameOf, PROJECT, withoutMount } from '../paths.ts';
import { useFileActions } from '../use-file-actions.ts';
import { toFileCommand } from '../use-file-commands.tsx';
import { endFileAsk, type FileAsk } from './file-asks.ts';

type Ask<Kind extends FileAsk['kind']> = Extract<FileAsk, { readonly kind: Kind }>;

export default function FileDialogs({ ask }: { readonly ask: FileAsk }) {
  switch (ask.kind) {
    case 'new-file':
    case 'new-folder':
    case 'move':
      return <PathDialog {...ask} />;
    case 'remove':
      return <RemoveDialog {...ask} />;
    case 'changes':
      return <ChangesDialog {...ask} />;
    case 'find':
      return <FindFileDialog {...ask} />;
    case 'close':
      return <CloseDialog {...ask} />;
  }
}

function CloseDialog({ projectId, path }: Ask<'close'>) {
  const { t } = useTranslation();
  return (
    <AlertDialog
      isOpen
      title={t('workspace.unsavedTitle', { title: toShownLine(nameOf(path)) })}
      confirmLabel={t('workspace.closeUnsaved')}
      onCancel={endFileAsk}
      onConfirm={() => {
        closeFile(projectId, path);
        endFileAsk();
      }}
    >
      {t('workspace.unsavedText')}
    </AlertDialog>
  );
}

/** Asks for a path: of a new file or folder, or the target of a move. */
function PathDialog({ kind, projectId, path }: Ask<'new-file' | 'new-folder' | 'move'>) {
  const { t } = useTranslation();
  const actions = useFileActions(projectId);
  const shown = withoutMount(path);
  const [typed, setTyped] = useState(kind === 'move' ? shown : shown === '' ? '' : `${shown}/`);
  const target = joinPath(PROJECT, typed);
  const isReady = target !== PROJECT && target !== path && !typed.endsWith('/');
  const act = useAction(async () => {
    if (kind === 'new-file') await actions.createFile(target);
    else if (kind === 'new-folder') await actions.createFolder(target);
    else await actions.move(path, target);
    endFileAsk();
  });
  return (
    <FormDialog
      title={
        kind === 'move'
          ? t('files.ask.move.title', { name: toShownLine(nameOf(path)) })
          : t(`files.ask.${kind}.title`)
      }
      submitLabel={t(`files.ask.${kind}.do`)}
      submit={act}
      canSubmit={isReady}
      onClose={endFileAsk}
    >
      <TextField
        label={t(`files.ask.${kind}.label`)}
        hint={t(`files.ask.${kind}.hint`)}
        data-autofocus
        value={typed}
        maxLength={1_000}
        spellCheck={false}
        autoComplete="off"
        placeholder={kind === 'new-file' ? 'notes.md' : undefined}
        className="font-mono"
        onChange={(text) => {
          act.forget();
          setTyped(text);
        }}
      />
    </FormDialog>
  );
}

/** Asks before a file or folder is deleted; asks again if it is too large to be undone. */
function RemoveDialog({ projectId, path, isFolder }: Ask<'remove'>) {
  const { t } = useTranslation();
  const actions = useFileActions(projectId);
  const [isFinal, setFinal] = useState(false);
  const remove = useAction(async () => {
    try {
      await actions.remove(path, isFinal);
      endFileAsk();
    } catch (error) {
      if (!(error instanceof ApiError && error.details.isFinalNeeded === true)) throw error;
      setFinal(true);
    }
  });
  return (
    <AlertDialog
      // Remounted for the second question, so that Cancel has the focus again.
      key={String(isFinal)}
      isOpen
      title={t('files.ask.remove.title', { name: toShownLine(nameOf(path)) })}
      confirmLabel={t(isFinal ? 'files.ask.remove.doFinal' : 'files.ask.remove.do')}
      onCancel={endFileAsk}
      onConfirm={() => remove.run()}
    >
      <p>
        {isFinal
          ? t('files.ask.remove.final')
          : t(isFolder ? 'files.ask.remove.folder' : 'files.ask.remove.file')}
      </p>
      <div className="mt-3 empty:hidden">
        <ErrorNote issue={remove.issue} />
      </div>
    </AlertDialog>
  );
}

/** Finds and opens a file by a few letters of its path. */
function FindFileDialog({ projectId }: Ask<'find'>) {
  const translation = useTranslation();
  const { t } = translation;
  const [text, setText] = useState('');
  const { data, isPending, error } = useFoundFiles(projectId, text.trim());
  return (
    <PaletteFrame
      isOpen
      onClose={endFileAsk}
      title={t('files.find')}
      placeholder={t('files.findPlaceholder')}
      text={text}
      onText={setText}
      empty={error ? toErrorLine(error, translation) : t(isPending ? 'files.finding' : 'files.findEmpty')}
      commands={(data?.paths ?? []).map((path) => toFileCommand(projectId, path, t('rail.files')))}
      note={data?.isCut ? t('files.findCut') : undefined}
    />
  );
}

const MAX_SHOWN = 100;

/** Recent file changes made by people, each with undo or redo. */
function ChangesDialog({ projectId, issue }: Ask<'changes'>) {
  const { t } = useTranslation();
  const { data: changes, error } = useFileChanges(projectId);
  return (
    <Dialog
      isOpen
      title={t('files.changes.title')}
      description={t('files.changes.text')}
      onClose={endFileAsk}
    >
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
  const shown = (path: string | undefined): string => toShownLine(withoutMount(path ?? ''));
  const what = t(`files.changes.kinds.${change.kind}`, { path: shown(change.path), to: shown(change.to) });
  return (
    <li className="flex flex-col gap-2 border-b py-2 last:border-0">
      <div className="flex items-center gap-2.5">
        <Icon className="size-4 shrink-0 text-ink-faint" />
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
