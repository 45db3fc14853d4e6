/** Where a panel shows a moment of the past: what it must not offer, and what it cannot ask the server for. */
import type { RunEvent } from '@crewagent/protocol/events';
import { createContext, useContext } from 'react';

export interface Past {
  /** Time of the moment. */
  readonly ts: string;
  /** Events of one log up to the moment. */
  readonly eventsOf: (runId: string) => readonly RunEvent[];
}

export const PastContext = createContext<Past | undefined>(undefined);

/** Undefined where the present is shown. */
export function usePast(): Past | undefined {
  return useContext(PastContext);
}
