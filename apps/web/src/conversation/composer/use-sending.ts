/**
 * Sends one message at a time and stores the error. The state is held under a name outside the component, so that it is still
 * there after leaving and returning while a message is being sent.
 */
import { useEffect } from 'react';
import { create } from 'zustand';
import { RejectedError } from '../../api/work-api.ts';
import { toError } from '../../ui/errors/error-texts.ts';

/** Why a message was not accepted: `rejected` is explained in the timeline, `error` is shown here. */
export type SendError = { readonly kind: 'rejected' } | { readonly kind: 'error'; readonly error: Error };

export type Sending = ReturnType<typeof useSending>;

export function useSending(name: string) {
  const state = useStates((states) => states[name]);
  // Leaving the screen clears an error, but not a pending send.
  useEffect(() => () => forget(name), [name]);
  return {
    isSending: state === 'under-way',
    issue: state === 'under-way' ? undefined : state,
    forget: (): void => forget(name),
    /** Calls `onAccepted` only on success. */
    send: (hand: () => Promise<void>, onAccepted?: () => void): void => void send(name, hand, onAccepted),
  };
}

/** By name; a missing entry is idle. */
const useStates = create<Readonly<Record<string, 'under-way' | SendError | undefined>>>(() => ({}));

async function send(name: string, hand: () => Promise<void>, onAccepted?: () => void): Promise<void> {
  // Two clicks within one frame see the same render; the store is always current.
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
