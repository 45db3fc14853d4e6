/**
 * A submission that cannot be sent twice: disabled while it is sending, enabled again after a rejection, with the error to show.
 */

import { useRef, useState } from 'react';
import { toError } from '../../ui/errors/error-texts.ts';

export interface SentOnce {
  readonly isSending: boolean;
  readonly issue: Error | undefined;
  readonly send: (action: () => Promise<void>) => void;
}

export function useSentOnce(): SentOnce {
  // Two clicks within one frame see the same state; a ref prevents the second.
  const isUnderWay = useRef(false);
  const [isSending, setSending] = useState(false);
  const [issue, setIssue] = useState<Error>();
  const send = (action: () => Promise<void>): void => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setSending(true);
    setIssue(undefined);
    action().catch((error: unknown) => {
      isUnderWay.current = false;
      setSending(false);
      setIssue(toError(error));
    });
  };
  return { isSending, issue, send };
}
