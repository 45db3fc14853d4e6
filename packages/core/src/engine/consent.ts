/**
 * A person's consent to one change of the state of a complete workflow, folded from events: given, offered to the model in a
 * turn, then used or expired.
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
