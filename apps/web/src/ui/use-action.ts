/** Something that takes a while and may not work: busy meanwhile, and what was thrown where it did not. */

import { useCallback, useState } from 'react';
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
  const run = (...args: Args): void => {
    if (isBusy) return;
    setBusy(true);
    setIssue(undefined);
    act(...args)
      .catch((error: unknown) => setIssue(toError(error)))
      .finally(() => setBusy(false));
  };
  return { run, isBusy, issue, forget: useCallback(() => setIssue(undefined), []) };
}
