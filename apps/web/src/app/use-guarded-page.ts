/**
 * Protects unsaved input: leaving the page asks for confirmation on every screen, and a file that is dropped outside a drop
 * target does not replace the page; a run in one file is opened.
 */
import { useEffect } from 'react';
import { isBundle, openBundle } from '../navigation/opened-bundle.ts';
import { hasUnsaved } from '../state/open-files.ts';
import { hasPackageDrafts } from '../state/package-drafts.ts';
import { hasStateDrafts } from '../state/state-drafts.ts';

export function useGuardedPage(): void {
  useEffect(() => {
    const controller = new AbortController();
    addEventListener('beforeunload', askBeforeLeaving, controller);
    addEventListener('dragover', preventFileDrop, controller);
    addEventListener('drop', preventFileDrop, controller);
    return () => controller.abort();
  }, []);
}

/** The browser shows its own message. */
function askBeforeLeaving(event: BeforeUnloadEvent): void {
  if (hasUnsaved() || hasStateDrafts() || hasPackageDrafts()) event.preventDefault();
}

/** Runs last: drop targets have accepted the event by then. Dragged text is left to text fields. */
function preventFileDrop(event: DragEvent): void {
  const { dataTransfer, defaultPrevented } = event;
  if (defaultPrevented || !dataTransfer?.types.includes('Files')) return;
  event.preventDefault();
  // A run in one file can be dropped anywhere. Its name is known only on drop; browsers have no type for it.
  const [file] = dataTransfer.files;
  if (event.type === 'drop' && file && isBundle(file)) {
    openBundle(file);
    return;
  }
  if ([...dataTransfer.items].some(({ kind, type }) => kind === 'file' && type === '')) return;
  // An editor accepts a dropped file, but only reports that on drop.
  const isOverEditor = event.composedPath().some((at) => at instanceof HTMLElement && at.isContentEditable);
  if (!isOverEditor) dataTransfer.dropEffect = 'none';
}
