/**
 * What would take the page away with all that is typed in it: leaving with something unsaved is asked about, on every screen,
 * and a file that is let go where nothing takes it does not open in place of the page.
 */
import { useEffect } from 'react';
import { hasUnsaved } from '../state/open-files.ts';
import { hasStateDrafts } from '../state/state-drafts.ts';

export function useGuardedPage(): void {
  useEffect(() => {
    addEventListener('beforeunload', askBeforeLeaving);
    addEventListener('dragover', refuseFiles);
    addEventListener('drop', refuseFiles);
    return () => {
      removeEventListener('beforeunload', askBeforeLeaving);
      removeEventListener('dragover', refuseFiles);
      removeEventListener('drop', refuseFiles);
    };
  }, []);
}

/** The browser asks in words of its own. */
function askBeforeLeaving(event: BeforeUnloadEvent): void {
  if (hasUnsaved() || hasStateDrafts()) event.preventDefault();
}

/** Comes last: whoever takes files has said so by then. Dragged text is left to the fields it is meant for. */
function refuseFiles(event: DragEvent): void {
  const { dataTransfer, defaultPrevented } = event;
  if (defaultPrevented || !dataTransfer?.types.includes('Files')) return;
  event.preventDefault();
  // An editor takes the text of a file, and says so only when it is let go.
  const isOverEditor = event.composedPath().some((at) => at instanceof HTMLElement && at.isContentEditable);
  if (!isOverEditor) dataTransfer.dropEffect = 'none';
}
