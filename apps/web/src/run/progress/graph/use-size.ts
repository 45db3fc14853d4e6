/** The size of an element; undefined before it is measured. */
import { type RefObject, useLayoutEffect, useState } from 'react';
import type { Size } from './lay-out-graph.ts';

export function useSize(element: RefObject<HTMLElement | null>): Size | undefined {
  const [size, setSize] = useState<Size>();
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return undefined;
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = current;
      if (width > 0 && height > 0)
        setSize((before) =>
          before?.width === width && before.height === height ? before : { width, height },
        );
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return size;
}
