/** Frame of a question or an approval above the composer. */
import { type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { toError } from '../../ui/errors/error-texts.ts';
import { isShortcut } from '../../ui/kbd.tsx';

export interface DockProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  readonly footer: ReactNode;
  /** How much of the content was viewed. */
  readonly progress?: ReactNode;
  /** Why the last answer was rejected. */
  readonly issue?: Error | undefined;
  /** Actions of keys; undefined: the key is disabled. */
  readonly keys: Readonly<Record<string, (() => void) | undefined>>;
  /** What is decided on. For something else the keys count only after a moment. */
  readonly asked?: unknown;
}

export function Dock(props: DockProps) {
  const { icon, title, aside, children, footer, progress, issue, keys, asked } = props;
  const id = useId();
  const frame = useRef<HTMLElement>(null);
  useDockKeys(frame, keys, asked);
  const last = useRef<HTMLElement>(null);
  // While it was sending, nothing in it could be focused.
  useEffect(() => {
    if (issue && document.activeElement === document.body) last.current?.focus();
  }, [issue]);
  return (
    <section
      ref={frame}
      aria-labelledby={id}
      onFocus={({ target }) => {
        last.current = target;
      }}
      className="flex max-h-[min(40rem,70vh)] flex-col overflow-hidden rounded-xl bg-raised shadow-raised"
    >
      <header className="flex shrink-0 items-center gap-2 px-4 pt-3 pb-1 [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-warn">
        {icon}
        <h2 id={id} tabIndex={-1} className="min-w-0 grow font-semibold wrap-anywhere outline-none">
          {title}
        </h2>
        {aside}
      </header>
      <div className="more-below min-h-0 grow overflow-y-auto px-4 pt-2 pb-4">{children}</div>
      <div className="shrink-0 px-4 pb-2 empty:hidden">
        <ErrorNote issue={issue} />
      </div>
      {progress}
      <footer className="flex shrink-0 flex-wrap items-center justify-end gap-2 border-t px-4 py-2.5">
        {footer}
      </footer>
    </section>
  );
}

/**
 * The keys of a dock: each with Ctrl or Command, so that nothing is decided by typing. They count while the dock is visible, no
 * dialog covers it, and it has been there long enough to be seen.
 */
export const ALLOW_KEYS = 'Mod+Enter';
export const DENY_KEYS = 'Mod+Backspace';

/** A key that was meant for something else may still arrive in the first moment. */
const SETTLE_MS = 400;

function useDockKeys(
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
      if (isTextField(event.target) && (event.key === 'Backspace' || isTyping(event.target, dock.current)))
        return;
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

/** Someone writes a message, and may not have seen yet that a decision is wanted. */
function isTyping(target: HTMLElement, dock: HTMLElement | null): boolean {
  return !dock?.contains(target) && (!('value' in target) || target.value !== '');
}

/** There Backspace deletes text, also when the last word is already gone. */
function isTextField(target: EventTarget | null): target is HTMLElement {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea'));
}

/** For `aria-keyshortcuts`. */
export function toAriaKeys(shortcut: string): string {
  return ['Control', 'Meta'].map((modifier) => shortcut.replace('Mod', modifier)).join(' ');
}

/**
 * A submission that cannot be sent twice: disabled while it is sending, enabled again after a rejection, with the error to show.
 */
export function useSentOnce() {
  // Two clicks within one frame see the same state; a ref prevents the second.
  const isUnderWay = useRef(false);
  const [isSending, setSending] = useState(false);
  const [issue, setIssue] = useState<Error>();
  const send = (action: () => Promise<void>): void => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setSending(true);
    setIssue(undefined);
    action().catch((error: unknown) => {
      isUnderWay.current = false;
      setSending(false);
      setIssue(toError(error));
    });
  };
  return { isSending, issue, send };
}
