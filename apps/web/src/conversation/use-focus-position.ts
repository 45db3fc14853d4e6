/**
 * Moves the focus when the focused element disappears: to the next question or approval, else to the composer. Does nothing if
 * the user moved the focus elsewhere.
 */
import { type FocusEvent, type KeyboardEvent, useEffect, useRef } from 'react';
import { hasGoneSomewhere } from '../navigation/router.ts';

/** The question or approval that is shown. */
interface Asked {
  readonly callId: string;
  readonly kind: 'question' | 'approval';
}

export function useFocusPosition(asked: Asked | undefined) {
  const docks = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const last = useRef<Element>(null);
  const beforePress = useRef<Element>(null);
  const wasLed = useRef(false);
  const wasInField = useRef(false);
  const continueRun = (place = FIRST_FIELD): void => {
    // On touch devices a focus would open the on-screen keyboard.
    if (matchMedia('(pointer: coarse)').matches) return;
    const isAsked = (docks.current?.childElementCount ?? 0) > 0;
    // A menu has no field.
    const find = (selector: string) => docks.current?.querySelector<HTMLElement>(selector);
    // Nobody types into the note of an approval by accident: Ctrl+Enter allows there.
    const isApproval = asked?.kind === 'approval';
    const next = isAsked ? ((isApproval ? null : find(place)) ?? find(HEADING)) : field.current;
    if (!next) return;
    next.focus();
    wasLed.current = true;
  };

  useEffect(() => {
    // A user who is typing must not type into the question that appeared.
    if (isLost(last.current)) continueRun(wasInField.current && !wasLed.current ? HEADING : FIRST_FIELD);
  });
  useEffect(() => {
    // A press counts as elsewhere until it reaches this element, also through portals opened from here.
    const press = (): void => {
      beforePress.current = last.current;
      last.current = null;
    };
    document.addEventListener('pointerdown', press, { capture: true });
    return () => document.removeEventListener('pointerdown', press, { capture: true });
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per question
  useEffect(() => {
    const isWaiting = wasLed.current && document.activeElement === field.current && !field.current?.value;
    if (asked?.kind === 'question' && isWaiting) continueRun();
  }, [asked?.callId]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs on mount
  useEffect(() => {
    if (hasGoneSomewhere() && document.activeElement === document.body) continueRun();
  }, []);

  return {
    /** Container of questions and approvals. */
    docks,
    /** The text field of the composer. */
    field,
    continueRun: () => continueRun(),
    /** Handlers for the element around both. */
    handlers: {
      onFocus: ({ target }: FocusEvent) => {
        last.current = target;
        wasLed.current = false;
        wasInField.current = target === field.current;
      },
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
        if (relatedTarget && !currentTarget.contains(relatedTarget)) last.current = null;
      },
      // A key press here after a press elsewhere that did not move the focus.
      onKeyDownCapture: ({ target }: KeyboardEvent) => {
        if (target instanceof Element) last.current = target;
        // Typing into the composer, however the focus got there.
        if (target === field.current) wasLed.current = false;
      },
      onPointerDownCapture: () => {
        last.current = beforePress.current;
      },
    },
  };
}

const FIRST_FIELD = ':is(textarea, input, select):enabled';
const HEADING = 'h2';

/** The focused element is gone or disabled, and nothing else has the focus. */
function isLost(last: Element | null): boolean {
  if (!last || document.activeElement !== document.body) return false;
  return !last.isConnected || last.matches(':disabled');
}
