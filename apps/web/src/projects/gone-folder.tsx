/** A project whose folder is gone: says so where the folder is needed, and lets the user locate it. */
import { ApiError } from '@crewagent/protocol/api/client';
import { FolderSearch, FolderX } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, type ButtonKind } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import type { ErrorOrCode } from '../ui/errors/error-texts.ts';
import { Note } from '../ui/note.tsx';
import { RelinkDialog } from './relink-dialog.tsx';

export function GoneFolder({ projectId }: { readonly projectId: string }) {
  const { t } = useTranslation();
  return (
    <EmptyState
      icon={<FolderX />}
      title={t('projects.gone')}
      action={<RelinkButton projectId={projectId} kind="primary" />}
    >
      {t('projects.goneText')}
    </EmptyState>
  );
}

/** The same as a note below other content. */
export function GoneFolderNote({ projectId, onDone }: RelinkButtonProps) {
  const { t } = useTranslation();
  return (
    <Note
      level="error"
      title={t('projects.gone')}
      actions={<RelinkButton projectId={projectId} onDone={onDone} />}
    >
      {t('projects.goneText')}
    </Note>
  );
}

export function isFolderGone(issue: ErrorOrCode | undefined): boolean {
  return issue instanceof ApiError && issue.code === 'FOLDER_NOT_FOUND';
}

interface RelinkButtonProps {
  readonly projectId: string;
  readonly kind?: ButtonKind;
  readonly onDone?: (() => void) | undefined;
}

function RelinkButton({ projectId, kind = 'plain', onDone }: RelinkButtonProps) {
  const { t } = useTranslation();
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <Button
        kind={kind}
        size={kind === 'primary' ? 'md' : 'sm'}
        icon={<FolderSearch className="size-4" />}
        onClick={() => setAsked(true)}
      >
        {t('projects.relink')}
      </Button>
      {isAsked ? (
        <RelinkDialog projectId={projectId} onClose={() => setAsked(false)} onDone={onDone} />
      ) : undefined}
    </>
  );
}
