/** The dialog that chooses a folder, loaded when it is opened; one asks for the new location of a project's folder. */
import { lazy, Suspense } from 'react';
import type { FolderDialogProps } from './folder-dialog.tsx';
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
  return <LazyFolderDialog purpose="relink" onClose={onClose} onChoose={relink} />;
}

/** Loaded when it is opened. */
export function LazyFolderDialog(props: FolderDialogProps) {
  return (
    <Suspense>
      <FolderDialog {...props} />
    </Suspense>
  );
}

const FolderDialog = lazy(async () => ({ default: (await import('./folder-dialog.tsx')).FolderDialog }));
