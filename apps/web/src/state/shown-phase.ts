/** The status label of the open Work; without a connection the status is unknown. */
import type { WorkPosition } from '@crewagent/protocol/work-position';
import type { ShownPhase } from '../ui/phase-pill.tsx';
import { useStartsElsewhere } from './team-server.ts';
import { shownPhase } from './work-list.ts';

export function useShownPhase(position: WorkPosition, isConnected: boolean): ShownPhase {
  const startsElsewhere = useStartsElsewhere();
  return isConnected ? shownPhase(position, startsElsewhere) : 'NotConnected';
}
