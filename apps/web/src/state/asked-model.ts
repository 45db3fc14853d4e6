/** Opens the model picker of the composer from elsewhere, if the screen has one. */
import { useEffect } from 'react';
import { create } from 'zustand';

interface AskedModel {
  readonly hasPicker: boolean;
  readonly isAsked: boolean;
}

const useStore = create<AskedModel>(() => ({ hasPicker: false, isAsked: false }));

/** For the one visible picker: `isAsked` is its open state. `isThere`: the picker is mounted. */
export function useAskedModel(isThere: boolean) {
  const isAsked = useStore((state) => state.isAsked);
  useEffect(() => {
    useStore.setState({ hasPicker: isThere });
    return () => useStore.setState({ hasPicker: false, isAsked: false });
  }, [isThere]);
  return { isAsked, setAsked: (next: boolean): void => useStore.setState({ isAsked: next }) };
}

/** Opens the picker; undefined on screens without one. */
export function useAskForModel(): (() => void) | undefined {
  return useStore((state) => state.hasPicker) ? askForModel : undefined;
}

function askForModel(): void {
  useStore.setState({ isAsked: true });
}
