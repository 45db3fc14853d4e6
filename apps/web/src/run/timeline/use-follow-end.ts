/**
 * Staying at the end of a growing list for as long as one is there. A person who scrolls up is left alone, and told where what
 * is new begins.
 */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { VirtualizerHandle } from 'virtua';

interface FollowEnd {
  readonly list: RefObject<VirtualizerHandle | null>;
  readonly isAtEnd: boolean;
  /** The first row that came while one looked elsewhere. */
  readonly firstNewIndex: number | undefined;
  readonly follow: () => void;
}

interface FollowEndOptions {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly content: RefObject<HTMLElement | null>;
  readonly count: number;
}

const NEAR_PX = 48;

export function useFollowEnd({ scroller, content, count }: FollowEndOptions): FollowEnd {
  const list = useRef<VirtualizerHandle>(null);
  const follows = useRef(true);
  const [isAtEnd, setAtEnd] = useState(true);
  const [firstNewIndex, setFirstNewIndex] = useState<number>();
  const countWhenLeft = useRef(0);

  const toEnd = useCallback((): void => {
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, [scroller]);

  const setFollows = useCallback((does: boolean): void => {
    follows.current = does;
    setAtEnd(does);
    if (does) setFirstNewIndex(undefined);
  }, []);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    let lastTop = element.scrollTop;
    const look = (): void => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      // Growing content moves the end away, shrinking content leaves one at the end: up and away goes only a person.
      if (scrollHeight - scrollTop - clientHeight < NEAR_PX) setFollows(true);
      else if (scrollTop < lastTop) setFollows(false);
      lastTop = scrollTop;
    };
    element.addEventListener('scroll', look, { passive: true });
    return () => element.removeEventListener('scroll', look);
  }, [scroller, setFollows]);

  useLayoutEffect(() => {
    if (follows.current) {
      countWhenLeft.current = count;
      toEnd();
    } else if (count > countWhenLeft.current) setFirstNewIndex((index) => index ?? countWhenLeft.current);
  }, [count, toEnd]);

  useEffect(() => {
    const element = content.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => follows.current && toEnd());
    observer.observe(element);
    return () => observer.disconnect();
  }, [content, toEnd]);

  const follow = useCallback((): void => {
    setFollows(true);
    toEnd();
  }, [setFollows, toEnd]);

  return { list, isAtEnd, firstNewIndex, follow };
}
