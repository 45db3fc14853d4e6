/**
 * Handing words over: once at a time, and what went wrong is kept to be shown. Kept under a name outside of what shows it:
 * whoever leaves and comes back while words are on their way finds them so.
 */
import { useEffect } from 'react';
import { create } from 'zustand';
import { RejectedError } from '../../api/work-api.ts';
import { toError } from '../../ui/errors/error-texts.ts';

/** What became of words that were not accepted: their reason stands in the story, or is told here. */
export type SendError = { readonly kind: 'rejected' } | { readonly kind: 'error'; readonly error: Error };

export interface Sending {
  readonly isSending: boolean;
  readonly issue: SendError | undefined;
  readonly forget: () => void;
  /** `onAccepted` only where it was. */
  readonly send: (hand: () => Promise<void>, onAccepted?: () => void) => void;
}

export function useSending(name: string): Sending {
  const state = useStates((states) => states[name]);
  // What was seen is over when one leaves; what is under way is not.
  useEffect(() => () => forget(name), [name]);
  return {
    isSending: state === 'under-way',
    issue: state === 'under-way' ? undefined : state,
    forget: () => forget(name),
    send: (hand, onAccepted) => void send(name, hand, onAccepted),
  };
}

/** By name; what is not there is at rest. */
const useStates = create<Readonly<Record<string, 'under-way' | SendError | undefined>>>(() => ({}));

async function send(name: string, hand: () => Promise<void>, onAccepted?: () => void): Promise<void> {
  // Two presses in one frame see the same picture; the store they do not.
  if (useStates.getState()[name] === 'under-way') return;
  useStates.setState({ [name]: 'under-way' });
  try {
    await hand();
    onAccepted?.();
    useStates.setState({ [name]: undefined });
  } catch (error) {
    useStates.setState({ [name]: toSendError(error) });
  }
}

function forget(name: string): void {
  if (useStates.getState()[name] !== 'under-way') useStates.setState({ [name]: undefined });
}

function toSendError(error: unknown): SendError {
  return error instanceof RejectedError ? { kind: 'rejected' } : { kind: 'error', error: toError(error) };
}
