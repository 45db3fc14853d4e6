/** One ref callback for several refs. */
import type { Ref } from 'react';

export function joinRefs<T>(...refs: readonly (Ref<T> | undefined)[]): (element: T | null) => void {
  return (element) => {
    for (const ref of refs) {
      if (typeof ref === 'function') ref(element);
      else if (ref) ref.current = element;
    }
  };
}
