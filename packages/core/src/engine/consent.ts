/**
 * A person's consent to one change of a complete workflow's state, folded from the run's events: given, then before the model
 * with a turn, then used or over.
 */

import type { RunEvent } from '@crewagent/protocol/events';
import { toStatus } from '@crewagent/protocol/status';

export type Consent = 'none' | 'given' | 'offered';

export function foldConsent(consent: Consent, event: RunEvent): Consent {
  switch (event.type) {
    case 'consent.given':
      return 'given';
    case 'turn.started':
      return consent === 'given' ? 'offered' : consent;
    case 'state.changed':
      return 'none';
    case 'phase.changed': {
      const { kind } = toStatus(event);
      const isAnswered = kind === 'completed' || kind === 'reply';
      return consent === 'offered' && isAnswered ? 'none' : consent;
    }
    default:
      return consent;
  }
}
