/** Whether a media query matches, live. */
import { useSyncExternalStore } from 'react';

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );
}

/** Narrow windows: panels become sheets. */
export function useIsNarrow(): boolean {
  return useMedia('(max-width: 767px)');
}

/** No room for a panel on both sides. */
export function useIsMedium(): boolean {
  return useMedia('(max-width: 1099px)');
}
