/** Notices about a file: it changed on disk, was deleted, or could not be saved. */
import { useDeferredValue, useMemo, useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { closeFile } from '../../state/open-files.ts';
import { Button } from '../../ui/button.tsx';
import { DiffView } from '../../ui/code/diff-view.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Note } from '../../ui/note.tsx';
import { diffLines } from './diff-lines.ts';
import { type OpenedFile, toEditorText, toText } from './use-file.ts';

interface FileNotesProps {
  readonly projectId: string;
  readonly path: string;
  readonly file: OpenedFile;
}

export function FileNotes(props: FileNotesProps) {
  const { t } = useTranslation();
  const { file } = props;
  return (
    <div className="flex shrink-0 flex-col gap-2 border-b p-2 empty:hidden">
      <ErrorNote
        issue={file.issue}
        title={t('files.notSaved')}
        actions={
          file.needsUtf8 ? (
            <Button size="sm" onClick={() => file.save({ isUtf8: true })}>
              {t('files.saveAsUtf8')}
            </Button>
          ) : undefined
        }
      />
      {file.standing === 'conflict' ? <ConflictNote file={file} /> : undefined}
      {file.standing === 'gone' ? <GoneNote {...props} /> : undefined}
    </div>
  );
}

function ConflictNote({ file }: { readonly file: OpenedFile }) {
  const { t } = useTranslation();
  const [isSeen, setSeen] = useState(false);
  const theirs = toText(file.content);
  return (
    <Note
      level="warning"
      title={t('files.conflict.title')}
      advice={t('files.conflict.advice')}
      actions={
        <>
          <Button size="sm" aria-expanded={isSeen} onClick={() => setSeen(!isSeen)}>
            {t(isSeen ? 'files.conflict.hide' : 'files.conflict.see')}
          </Button>
          <Button size="sm" onClick={file.takeTheirs}>
            {t('files.conflict.theirs')}
          </Button>
          <Button size="sm" isBusy={file.isSaving} onClick={() => file.save({ isOver: true })}>
            {t('files.conflict.mine')}
          </Button>
        </>
      }
    >
      {t('files.conflict.text')}
      {isSeen && theirs ? <ConflictDiff theirs={toEditorText(theirs)} mine={file.text} /> : undefined}
    </Note>
  );
}

/** Typing has priority; the diff may lag behind. */
function ConflictDiff(props: { readonly theirs: string; readonly mine: string }) {
  const { t } = useTranslation();
  const theirs = useDeferredValue(props.theirs);
  const mine = useDeferredValue(props.mine);
  const diff = useMemo(() => diffLines(theirs, mine), [theirs, mine]);
  return <DiffView className="mt-2" label={t('files.conflict.diff')} diff={diff} />;
}

function GoneNote({ projectId, path, file }: FileNotesProps) {
  const { t } = useTranslation();
  const hasText = file.draft !== undefined || toText(file.content) !== undefined;
  return (
    <Note
      level="warning"
      title={t('files.gone.title')}
      advice={t(hasText ? 'files.gone.advice' : 'files.gone.adviceEmpty')}
      actions={
        <>
          {hasText ? (
            <Button size="sm" isBusy={file.isSaving} onClick={() => file.save({ isOver: true })}>
              {t('files.gone.again')}
            </Button>
          ) : undefined}
          <Button size="sm" onClick={() => closeFile(projectId, path)}>
            {t('action.close')}
          </Button>
        </>
      }
    >
      {t(file.draft ? 'files.gone.unsaved' : 'files.gone.text')}
    </Note>
  );
}
