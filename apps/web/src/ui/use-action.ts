/** Something that takes a while and may not work: busy meanwhile, and what was thrown where it did not. */

import { useCallback, useState } from 'react';
import { toError } from './errors/fault-words.ts';

export interface Action<Args extends readonly unknown[]> {
  readonly run: (...args: Args) => void;
  readonly isBusy: boolean;
  readonly fault: Error | undefined;
  readonly forget: () => void;
}

export function useAction<Args extends readonly unknown[]>(
  act: (...args: Args) => Promise<unknown>,
): Action<Args> {
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Error>();
  const run = (...args: Args): void => {
    if (isBusy) return;
    setBusy(true);
    setFault(undefined);
    act(...args)
      .catch((error: unknown) => setFault(toError(error)))
      .finally(() => setBusy(false));
  };
  return { run, isBusy, fault, forget: useCallback(() => setFault(undefined), []) };
}
