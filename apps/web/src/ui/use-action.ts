/** State of an asynchronous action: busy while it runs, then its error if it failed. */
import { useCallback, useRef, useState } from 'react';
import { toError } from './errors/error-texts.ts';

export interface Action<Args extends readonly unknown[]> {
  readonly run: (...args: Args) => void;
  readonly isBusy: boolean;
  readonly issue: Error | undefined;
  readonly forget: () => void;
}

export function useAction<Args extends readonly unknown[]>(
  act: (...args: Args) => Promise<unknown>,
): Action<Args> {
  const [isBusy, setBusy] = useState(false);
  const [issue, setIssue] = useState<Error>();
  // Two presses within one frame see the same render.
  const isUnderWay = useRef(false);
  const run = (...args: Args): void => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setBusy(true);
    setIssue(undefined);
    act(...args)
      .catch((error: unknown) => setIssue(toError(error)))
      .finally(() => {
        isUnderWay.current = false;
        setBusy(false);
      });
  };
  return { run, isBusy, issue, forget: useCallback(() => setIssue(undefined), []) };
}

/**
 * Whether nothing has the keyboard, or a button whose action ends just now. A disabled element counts too: browsers take the focus
 * from it only when they paint the next frame.
 */
export function hasLostFocus(): boolean {
  const { activeElement, body } = document;
  return (
    activeElement === null || activeElement === body || activeElement.matches(':disabled, [aria-busy=true]')
  );
}
