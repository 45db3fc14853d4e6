/**
 * The keys of a dock: each with Ctrl or Command, so that nothing is decided by typing. They count while the dock is visible, no
 * dialog covers it, and it has been there long enough to be seen.
 */
import { type RefObject, useEffect, useRef } from 'react';
import { isShortcut } from '../../ui/kbd.tsx';

export const ALLOW_KEYS = 'Mod+Enter';
export const DENY_KEYS = 'Mod+Backspace';

/** A key that was meant for something else may still arrive in the first moment. */
const SETTLE_MS = 400;

export function useDockKeys(
  dock: RefObject<HTMLElement | null>,
  actions: Readonly<Record<string, (() => void) | undefined>>,
  asked?: unknown,
): void {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: something else is asked for, which was not seen before
  useEffect(() => {
    const shownAt = performance.now();
    const press = (event: KeyboardEvent): void => {
      if (event.repeat || event.isComposing || event.defaultPrevented) return;
      const [, run] = Object.entries(latest.current).find(([shortcut]) => isShortcut(event, shortcut)) ?? [];
      if (!run || performance.now() - shownAt < SETTLE_MS || !isReachable(dock.current)) return;
      if (event.key === 'Backspace' && isTextField(event.target)) return;
      event.preventDefault();
      run();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [dock, asked]);
}

function isReachable(dock: HTMLElement | null): boolean {
  // A dialog hides everything else from assistive technology.
  return dock?.checkVisibility() === true && dock.closest('[aria-hidden=true], [inert]') === null;
}

/** There Backspace deletes text, also when the last word is already gone. */
function isTextField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea'));
}

/** For `aria-keyshortcuts`. */
export function toAriaKeys(shortcut: string): string {
  return ['Control', 'Meta'].map((modifier) => shortcut.replace('Mod', modifier)).join(' ');
}
