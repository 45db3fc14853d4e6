/** Which blocks of a long list are near the visible part of their scrollers, so that only those are rendered. */
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** Rendered before they can be seen. Browsers that do not know `scrollMargin` render a block when its first pixel is seen. */
const AHEAD = '600px';

export interface NearBlocks {
  readonly observe: (block: HTMLElement, start: number, onNear: (isNear: boolean) => void) => () => void;
  /** Renders a block that is to be scrolled to. */
  readonly show: (start: number) => void;
}

export function createNearBlocks(): NearBlocks {
  const known = new Map<Element, (isNear: boolean) => void>();
  const byStart = new Map<number, (isNear: boolean) => void>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) known.get(target)?.(isIntersecting);
    },
    { scrollMargin: AHEAD, rootMargin: AHEAD } as IntersectionObserverInit,
  );
  return {
    observe(block, start, onNear) {
      known.set(block, onNear);
      byStart.set(start, onNear);
      observer.observe(block);
      return () => {
        known.delete(block);
        byStart.delete(start);
        observer.unobserve(block);
      };
    },
    show: (start) => byStart.get(start)?.(true),
  };
}

/** Whether a block is near, and else the height it had, in pixels. The first block is there from the start. */
export function useNearBlock(
  blocks: NearBlocks,
  start: number,
): { readonly ref: RefObject<HTMLDivElement | null>; readonly isNear: boolean; readonly height?: number } {
  const ref = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(start === 0);
  const [height, setHeight] = useState<number>();
  useLayoutEffect(() => {
    const block = ref.current;
    if (!block) return undefined;
    return blocks.observe(block, start, (next) => {
      if (!next) setHeight(block.offsetHeight);
      setNear(next);
    });
  }, [blocks, start]);
  return { ref, isNear, height };
}
