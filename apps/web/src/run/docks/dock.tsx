/** Frame of a question or an approval above the composer. */
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { useDockKeys } from './use-dock-keys.ts';

interface DockProps {
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
