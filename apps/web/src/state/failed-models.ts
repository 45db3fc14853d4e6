/** Which models failed when they were last tried out here; one that is changed has not been tried yet. */
import { create } from 'zustand';

interface FailedModels {
  readonly names: ReadonlySet<string>;
  readonly note: (name: string, works: boolean) => void;
}

export const useFailedModels = create<FailedModels>((set) => ({
  names: new Set(),
  note: (name, works) =>
    set(({ names }) => {
      const others = [...names].filter((other) => other !== name);
      return { names: new Set(works ? others : [...others, name]) };
    }),
}));
