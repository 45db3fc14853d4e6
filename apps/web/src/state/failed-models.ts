/** Models whose last connection test on this page failed; editing a model resets its result. */
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
