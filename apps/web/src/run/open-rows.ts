/**
 * Which rows are expanded. Stored outside the rows, because rows are unmounted when they scroll out of view.
 */
import { createContext, useContext, useMemo, useState } from 'react';

export interface OpenRows {
  readonly isOpen: (key: string) => boolean;
  readonly toggle: (key: string) => void;
}

export const OpenRowsContext = createContext<OpenRows>({ isOpen: () => false, toggle: () => undefined });

export function useOpenRows(): OpenRows {
  return useContext(OpenRowsContext);
}

/** `toFirst`: the rows that are open from the start. */
export function useOpenRowsState(toFirst: () => readonly string[] = () => []): OpenRows {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(toFirst()));
  return useMemo(
    () => ({
      isOpen: (key) => open.has(key),
      toggle: (key) =>
        setOpen((before) => {
          const after = new Set(before);
          if (!after.delete(key)) after.add(key);
          return after;
        }),
    }),
    [open],
  );
}
