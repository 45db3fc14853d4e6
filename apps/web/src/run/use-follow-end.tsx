/**
 * Keeps a growing list scrolled to its end while the user is there. A user who scrolled up stays there and sees where new rows
 * begin; a list that was hidden keeps its position.
 */
import { ArrowDown } from 'lucide-react';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { VirtualizerHandle } from 'virtua';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';

interface FollowEndOptions {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly content: RefObject<HTMLElement | null>;
  readonly lastKey: string | undefined;
}

const NEAR_PX = 48;

export function useFollowEnd({ scroller, content, lastKey }: FollowEndOptions) {
  const list = useRef<VirtualizerHandle>(null);
  const follows = useRef(true);
  const lastTop = useRef(0);
  const latestKey = useRef(lastKey);
  latestKey.current = lastKey;
  const [isAtEnd, setAtEnd] = useState(true);
  /** The row after which the unseen rows begin. */
  const [lastSeenKey, setLastSeenKey] = useState<string>();

  const toEnd = useCallback((): void => {
    const element = scroller.current;
    if (!element) return;
    element.scrollTop = element.scrollHeight;
    // Its scroll event may come after the user has scrolled up.
    lastTop.current = element.scrollTop;
  }, [scroller]);

  const setFollows = useCallback((does: boolean): void => {
    if (follows.current === does) return;
    follows.current = does;
    setAtEnd(does);
    // Rows present when the user leaves the end count as seen.
    setLastSeenKey(does ? undefined : latestKey.current);
  }, []);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    lastTop.current = element.scrollTop;
    const onScroll = (): void => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      // Ignore scroll events while hidden.
      if (clientHeight === 0) return;
      // Growing content moves the end away, shrinking content stays at the end: only the user scrolls up.
      if (scrollHeight - scrollTop - clientHeight < NEAR_PX) setFollows(true);
      else if (scrollTop < lastTop.current) setFollows(false);
      lastTop.current = scrollTop;
    };
    // Before the list mounts rows for the new position.
    const options = { passive: true, capture: true };
    element.addEventListener('scroll', onScroll, options);
    return () => element.removeEventListener('scroll', onScroll, options);
  }, [scroller, setFollows]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs with each new row
  useLayoutEffect(() => {
    if (follows.current) toEnd();
  }, [lastKey, toEnd]);

  useLayoutEffect(() => {
    // The list knows its position from scroll events. Without this one, which precedes its first rows, it would mount rows of its
    // beginning and drop them in the next frame. It listens from its own microtask on.
    queueMicrotask(() => scroller.current?.dispatchEvent(new Event('scroll')));
  }, [scroller]);

  useLayoutEffect(() => {
    // Observed from the first frame on, as the list does: an observation that begins in a callback of the list's observer, where React
    // runs effects that are due, is delivered a frame later, which the browser reports as a loop.
    // The dock below takes height from the list.
    const watched = [content.current, scroller.current].filter((element) => element !== null);
    let wasHidden = false;
    const observer = new ResizeObserver(() => {
      const element = scroller.current;
      const isHidden = element?.clientHeight === 0;
      // Browsers may lose the scroll position of content they did not render.
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

  const leaveEnd = useCallback((): void => setFollows(false), [setFollows]);

  return { list, follows, isAtEnd, lastSeenKey, follow, leaveEnd };
}

/** Scrolls a list back to its end, which it then follows. Shown above the list while it is scrolled elsewhere. */
export function ToEndButton({ onClick }: { readonly onClick: () => void }) {
  const { t } = useTranslation();
  return (
    <Button
      size="sm"
      icon={<ArrowDown className="size-3.5" />}
      onClick={onClick}
      className="pop-in absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full bg-raised shadow-raised"
    >
      {t('timeline.toEnd')}
    </Button>
  );
}
