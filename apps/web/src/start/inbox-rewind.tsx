/** Rewinds a waiting Work. The Work leaves the inbox then, so the dialog is mounted next to the list and outlives the entry. */
import type { WorkSummary } from '@crewagent/protocol/api/work-messages';
import type { Story } from '@crewagent/protocol/story/story';
import { RewindDialog } from '../run/undo/rewind-dialog.tsx';
import { useNextSteps } from './use-next-steps.ts';

export interface Rewinding {
  readonly work: WorkSummary;
  readonly kind: 'redo' | 'back';
  /** The view at the time of the request. */
  readonly view: Readonly<Story>;
}

interface InboxRewindProps {
  readonly rewinding: Rewinding;
  readonly onClose: () => void;
}

export function InboxRewind({ rewinding: { work, kind, view }, onClose }: InboxRewindProps) {
  const { open, continueRun } = useNextSteps(work);
  return <RewindDialog kind={kind} view={view} onResume={continueRun} onClose={onClose} onOpen={open} />;
}
