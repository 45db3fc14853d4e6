/**
 * Where the keyboard goes on when what it was in is done: to what is asked next, else to where one writes. Whoever went
 * elsewhere is left alone.
 */
import { type FocusEvent, type KeyboardEvent, type RefObject, useEffect, useRef } from 'react';
import { hasGoneSomewhere } from '../navigation/router.ts';

export interface FocusPosition {
  /** What is asked for. */
  readonly docks: RefObject<HTMLDivElement | null>;
  /** Where one writes. */
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly continueRun: () => void;
  /** For what is around both. */
  readonly handlers: {
    readonly onFocus: (event: FocusEvent) => void;
    readonly onBlur: (event: FocusEvent) => void;
    readonly onKeyDownCapture: (event: KeyboardEvent) => void;
    readonly onPointerDownCapture: () => void;
  };
}

/** `asked`: another one for each thing that is asked. */
export function useFocusPosition(asked: string | undefined): FocusPosition {
  const docks = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const last = useRef<Element>(null);
  const beforePress = useRef<Element>(null);
  const wasLed = useRef(false);
  const wasInField = useRef(false);
  const continueRun = (place = FIRST_FIELD): void => {
    // There a focus would bring up keys over half of the screen.
    if (matchMedia('(pointer: coarse)').matches) return;
    const isAsked = (docks.current?.childElementCount ?? 0) > 0;
    const next = isAsked ? docks.current?.querySelector<HTMLElement>(place) : field.current;
    if (!next) return;
    next.focus();
    wasLed.current = true;
  };

  useEffect(() => {
    // Whoever was writing must not go on writing into what is asked.
    if (isLost(last.current)) continueRun(wasInField.current && !wasLed.current ? HEADING : FIRST_FIELD);
  });
  useEffect(() => {
    // A press is elsewhere until it turns out to be in here, which what opened from here is too, wherever it is drawn.
    const press = (): void => {
      beforePress.current = last.current;
      last.current = null;
    };
    document.addEventListener('pointerdown', press, { capture: true });
    return () => document.removeEventListener('pointerdown', press, { capture: true });
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each thing that is asked
  useEffect(() => {
    const isWaiting = wasLed.current && document.activeElement === field.current && !field.current?.value;
    if (asked !== undefined && isWaiting) continueRun();
  }, [asked]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when one comes here
  useEffect(() => {
    if (hasGoneSomewhere() && document.activeElement === document.body) continueRun();
  }, []);

  return {
    docks,
    field,
    continueRun: () => continueRun(),
    handlers: {
      onFocus: ({ target }) => {
        last.current = target;
        wasLed.current = false;
        wasInField.current = target === field.current;
      },
      onBlur: ({ currentTarget, relatedTarget }) => {
        if (relatedTarget && !currentTarget.contains(relatedTarget)) last.current = null;
      },
      // After a press elsewhere that left the focus here.
      onKeyDownCapture: ({ target }) => {
        if (target instanceof Element) last.current = target;
      },
      onPointerDownCapture: () => {
        last.current = beforePress.current;
      },
    },
  };
}

const FIRST_FIELD = ':is(textarea, input, select):enabled';
const HEADING = 'h2';

/** What had the focus is gone or cannot have it any more, and nothing else took it. */
function isLost(last: Element | null): boolean {
  if (!last || document.activeElement !== document.body) return false;
  return !last.isConnected || last.matches(':disabled');
}
