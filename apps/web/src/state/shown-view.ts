/** A run or a thread as the page shows it: the folded view with its kind and status, derived once per update. */
import type { RunView } from '@crewagent/protocol/run-view';
import { type Status, toStatus } from '@crewagent/protocol/status';

export interface ShownView extends Readonly<RunView> {
  /** False for a thread, which has no workflow. */
  readonly isRun: boolean;
  readonly status: Status;
}

export function toShownView(view: Readonly<RunView>): ShownView {
  return { ...view, isRun: view.workflow !== undefined, status: toStatus(view) };
}
