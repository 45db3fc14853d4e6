/** What it may do by itself as things stand: what was chosen, else the default, as far as that goes with what is begun. */
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import { useStartDefaults } from '../../api/works-queries.ts';
import type { Kind } from './kind-choice.tsx';
import { goesWith, type StartOptions } from './start-options.ts';

interface Approval {
  /** Undefined while nobody knows, or where it is still to be chosen. */
  readonly approval: ApprovalPreset | undefined;
  readonly isToBeChosen: boolean;
}

export function useApproval(options: StartOptions, kind: Kind): Approval {
  const { data: defaults } = useStartDefaults();
  const wanted = options.approval ?? defaults?.approval;
  const isToBeChosen = wanted !== undefined && !goesWith(wanted, kind);
  return { approval: isToBeChosen ? undefined : wanted, isToBeChosen };
}
