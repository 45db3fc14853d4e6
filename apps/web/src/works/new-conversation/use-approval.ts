/** The effective approval preset: the chosen one, else the default, if it is allowed for the kind of Work. */
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import { useStartDefaults } from '../../api/works-queries.ts';
import type { Kind } from './kind-choice.tsx';
import { goesWith, type StartOptions } from './start-options.ts';

interface Approval {
  /** Undefined while unknown, or if the user must still choose. */
  readonly approval: ApprovalPreset | undefined;
  readonly isToBeChosen: boolean;
}

export function useApproval(options: StartOptions, kind: Kind): Approval {
  const { data: defaults } = useStartDefaults();
  const wanted = options.approval ?? defaults?.approval;
  const isToBeChosen = wanted !== undefined && !goesWith(wanted, kind);
  return { approval: isToBeChosen ? undefined : wanted, isToBeChosen };
}
