/** Something that takes a while and may not work: busy meanwhile, and the sentence that says why it did not. */

import { useCallback, useState } from 'react';
import { toFaultWords } from './fault-words.ts';

export interface Action<Args extends readonly unknown[]> {
  readonly run: (...args: Args) => void;
  readonly isBusy: boolean;
  readonly fault: string | undefined;
  readonly forget: () => void;
}

export function useAction<Args extends readonly unknown[]>(
  act: (...args: Args) => Promise<unknown>,
): Action<Args> {
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const run = (...args: Args): void => {
    if (isBusy) return;
    setBusy(true);
    setFault(undefined);
    act(...args)
      .catch((error: unknown) => setFault(toFaultWords(error)))
      .finally(() => setBusy(false));
  };
  return { run, isBusy, fault, forget: useCallback(() => setFault(undefined), []) };
}
