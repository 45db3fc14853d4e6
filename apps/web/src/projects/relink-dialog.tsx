/** Asks for the new location of a project's folder, and relinks the project. */
import { lazy, Suspense } from 'react';
import { useRelinkProject } from './use-project-actions.ts';

interface RelinkDialogProps {
  readonly projectId: string;
  readonly onClose: () => void;
  readonly onDone?: (() => void) | undefined;
}

export function RelinkDialog({ projectId, onClose, onDone }: RelinkDialogProps) {
  const relink = useRelinkProject(projectId, () => {
    onClose();
    onDone?.();
  });
  return (
    <Suspense>
      <FolderDialog purpose="relink" onClose={onClose} onChoose={relink} />
    </Suspense>
  );
}

const FolderDialog = lazy(async () => ({ default: (await import('./folder-dialog.tsx')).FolderDialog }));
