/**
 * Text one can write in: line numbers, colours, undo, search (Mod+F), marks in place of what cannot be seen. Tab leaves it;
 * Mod+] and Mod+[ indent. The editor itself is loaded when the first one is shown.
 */
import { lazy, Suspense } from 'react';
import { classNames } from './class-names.ts';
import type { CodeLanguage } from './code-editor-languages.ts';
import type { CodeDiagnostic } from './create-code-editor.ts';
import { Skeleton } from './skeleton.tsx';

export interface CodeEditorProps {
  /** What it is, for those who do not see it. */
  readonly label: string;
  /** Lines end with `\n`; a `\r` is a character like others and seen as one. */
  readonly value: string;
  readonly language: CodeLanguage;
  readonly isReadOnly?: boolean;
  readonly onChange?: (text: string) => void;
  /** Mod+S. */
  readonly onSave?: () => void;
  /** What was found at a line, from 1; an empty list keeps room for what will be. */
  readonly diagnostics?: readonly CodeDiagnostic[];
  /** Undo, selection and scrolling are kept under this name while the editor is not on the screen. */
  readonly memoryKey?: string;
  /** The keyboard is to go there now. */
  readonly takesFocus?: boolean;
  readonly onFocusTaken?: () => void;
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
