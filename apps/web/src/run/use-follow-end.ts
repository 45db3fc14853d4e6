/**
 * Staying at the end of a growing list for as long as one is there. A person who scrolls up is left alone, and told where what
 * is new begins; a list that is hidden for a while comes back as it was left.
 */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { VirtualizerHandle } from 'virtua';

interface FollowEnd {
  readonly list: RefObject<VirtualizerHandle | null>;
  readonly isAtEnd: boolean;
  /** The row behind which what came while one looked elsewhere begins. */
  readonly lastSeenKey: string | undefined;
  readonly follow: () => void;
}

interface FollowEndOptions {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly content: RefObject<HTMLElement | null>;
  readonly lastKey: string | undefined;
}

const NEAR_PX = 48;

export function useFollowEnd({ scroller, content, lastKey }: FollowEndOptions): FollowEnd {
  const list = useRef<VirtualizerHandle>(null);
  const follows = useRef(true);
  const lastTop = useRef(0);
  const latestKey = useRef(lastKey);
  latestKey.current = lastKey;
  const [isAtEnd, setAtEnd] = useState(true);
  const [lastSeenKey, setLastSeenKey] = useState<string>();

  const toEnd = useCallback((): void => {
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, [scroller]);

  const setFollows = useCallback((does: boolean): void => {
    if (follows.current === does) return;
    follows.current = does;
    setAtEnd(does);
    // What is there when one leaves was seen.
    setLastSeenKey(does ? undefined : latestKey.current);
  }, []);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    lastTop.current = element.scrollTop;
    const look = (): void => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      // Nobody scrolls what is hidden.
      if (clientHeight === 0) return;
      // Growing content moves the end away, shrinking content leaves one at the end: up and away goes only a person.
      if (scrollHeight - scrollTop - clientHeight < NEAR_PX) setFollows(true);
      else if (scrollTop < lastTop.current) setFollows(false);
      lastTop.current = scrollTop;
    };
    element.addEventListener('scroll', look, { passive: true });
    return () => element.removeEventListener('scroll', look);
  }, [scroller, setFollows]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: with each new row
  useLayoutEffect(() => {
    if (follows.current) toEnd();
  }, [lastKey, toEnd]);

  useEffect(() => {
    // What is asked for below takes room from the story.
    const watched = [content.current, scroller.current].filter((element) => element !== null);
    let wasHidden = false;
    const observer = new ResizeObserver(() => {
      const element = scroller.current;
      const isHidden = element?.clientHeight === 0;
      // A browser may forget where one was in what it did not draw.
      if (follows.current) toEnd();
      else if (element && wasHidden && !isHidden) element.scrollTop = lastTop.current;
      wasHidden = isHidden;
    });
    for (const element of watched) observer.observe(element);
    return () => observer.disconnect();
  }, [content, scroller, toEnd]);

  const follow = useCallback((): void => {
    setFollows(true);
    toEnd();
  }, [setFollows, toEnd]);

  return { list, isAtEnd, lastSeenKey, follow };
}
