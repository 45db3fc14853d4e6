/** Whether another model is asked for where one writes, and whether it can be chosen there at all. */
import { useEffect } from 'react';
import { create } from 'zustand';

interface AskedModel {
  readonly hasPicker: boolean;
  readonly isAsked: boolean;
}

const useStore = create<AskedModel>(() => ({ hasPicker: false, isAsked: false }));

/** For the one picker in sight, as soon as it is there: open while a model is asked for. */
export function useAskedModel(isThere: boolean) {
  const isAsked = useStore((state) => state.isAsked);
  useEffect(() => {
    useStore.setState({ hasPicker: isThere });
    return () => useStore.setState({ hasPicker: false, isAsked: false });
  }, [isThere]);
  return { isAsked, setAsked: (next: boolean): void => useStore.setState({ isAsked: next }) };
}

/** Opens the picker; undefined where there is none. */
export function useAskForModel(): (() => void) | undefined {
  return useStore((state) => state.hasPicker) ? askForModel : undefined;
}

function askForModel(): void {
  useStore.setState({ isAsked: true });
}
