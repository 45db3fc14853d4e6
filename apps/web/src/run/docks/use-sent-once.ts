/**
 * Something that may be sent once: while it is under way it cannot be sent again; after a refusal it can, and the reason is
 * there to show.
 */

import { useRef, useState } from 'react';
import { toError } from '../../ui/errors/error-texts.ts';

export interface SentOnce {
  readonly isSending: boolean;
  readonly issue: Error | undefined;
  readonly send: (action: () => Promise<void>) => void;
}

export function useSentOnce(): SentOnce {
  // Two presses in one frame see the same state; a ref they do not.
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
