/**
 * Text editor with line numbers, highlighting, undo, search (Mod+F) and visible markers for invisible characters. Tab leaves it;
 * Mod+] and Mod+[ indent. The implementation is loaded with the first editor that is shown.
 */
import { lazy, Suspense } from 'react';
import { classNames } from '../class-names.ts';
import { Skeleton } from '../skeleton.tsx';
import type { MountedEditorProps } from './code-editor-mount.tsx';

export interface CodeEditorProps extends MountedEditorProps {
  readonly className?: string;
}

export function CodeEditor({ className = 'h-full', ...props }: CodeEditorProps) {
  return (
    <div className={classNames('min-h-0 overflow-hidden bg-surface', className)}>
      <Suspense fallback={<Waiting />}>
        <Mounted {...props} />
      </Suspense>
    </div>
  );
}

const Mounted = lazy(() => import('./code-editor-mount.tsx'));

function Waiting() {
  return (
    <div className="flex flex-col gap-2.5 p-4">
      {['w-3/5', 'w-4/5', 'w-2/5'].map((width) => (
        <Skeleton key={width} className={`h-3.5 ${width}`} />
      ))}
    </div>
  );
}
