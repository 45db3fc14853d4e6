/** Handing words over: once at a time, and what went wrong is kept to be shown. */

import { useRef, useState } from 'react';
import { NotTaken } from '../api/conversation-api.ts';
import { toFaultWords } from '../ui/fault-words.ts';

/** What became of words that were not accepted: their reason stands in the story, or is told here. */
export type SendFault = { readonly kind: 'not-taken' } | { readonly kind: 'fault'; readonly message: string };

export interface Sending {
  readonly isSending: boolean;
  readonly fault: SendFault | undefined;
  readonly forget: () => void;
  /** `onAccepted` only where it was. */
  readonly send: (hand: () => Promise<void>, onAccepted?: () => void) => void;
}

export function useSending(): Sending {
  // Two presses in one frame see the same state; a ref they do not.
  const isUnderWay = useRef(false);
  const [isSending, setSending] = useState(false);
  const [fault, setFault] = useState<SendFault>();
  const send = async (hand: () => Promise<void>, onAccepted = (): void => undefined): Promise<void> => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setSending(true);
    setFault(undefined);
    try {
      await hand();
      onAccepted();
    } catch (error) {
      setFault(toFault(error));
    } finally {
      isUnderWay.current = false;
      setSending(false);
    }
  };
  return {
    isSending,
    fault,
    forget: () => setFault(undefined),
    send: (hand, onAccepted) => void send(hand, onAccepted),
  };
}

function toFault(error: unknown): SendFault {
  if (error instanceof NotTaken) return { kind: 'not-taken' };
  return { kind: 'fault', message: toFaultWords(error) };
}
