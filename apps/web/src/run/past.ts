/** Where nothing can be done: a moment of the past, with what cannot be asked of the server there, and a Work of others. */
import type { RunEvent } from '@crewagent/protocol/events';
import { createContext, useContext } from 'react';

export interface Past {
  /** Time of the moment. */
  readonly ts: string;
  /** Events of one log up to the moment. */
  readonly eventsOf: (runId: string) => readonly RunEvent[];
}

export const PastContext = createContext<Past | undefined>(undefined);

/** The person may look at the Work and do nothing in it. */
export const ViewOnlyContext = createContext(false);

/** Whether a panel offers nothing that changes the Work. */
export function useIsReadOnly(): boolean {
  const isViewOnly = useContext(ViewOnlyContext);
  return usePast() !== undefined || isViewOnly;
}

/** Undefined where the present is shown. */
export function usePast(): Past | undefined {
  return useContext(PastContext);
}
