/**
 * An inline notice: what happened, why, what to do; the code is behind a fold.
 */
import { CircleAlert, Gauge, Info, TriangleAlert, Unplug } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { toShownText } from './sanitize-text.ts';

export type NoteLevel = 'info' | 'warning' | 'limit' | 'interrupted' | 'error';

interface NoteProps {
  readonly level: NoteLevel;
  readonly title: ReactNode;
  /** The reason, in a sentence. */
  readonly children?: ReactNode;
  /** What to do now. */
  readonly advice?: ReactNode;
  readonly actions?: ReactNode;
  /** Announced when it appears; true for errors by default. */
  readonly isAlert?: boolean;
  readonly details?: { readonly label: string; readonly text: string } | undefined;
}

export function Note(props: NoteProps) {
  const { level, title, children, advice, actions, details, isAlert = level === 'error' } = props;
  const { Icon, look, ink } = LEVELS[level];
  return (
    <div
      role={isAlert ? 'alert' : undefined}
      className={classNames('flex gap-2.5 rounded-lg border px-3 py-2.5', look)}
    >
      <Icon className={`mt-0.5 size-4 shrink-0 ${ink}`} />
      <div className="min-w-0 grow wrap-anywhere">
        <p className={`font-medium ${ink}`}>{title}</p>
        {children ? <div className="mt-0.5 text-ink-soft">{children}</div> : undefined}
        {advice ? <div className="mt-1 text-ink">{advice}</div> : undefined}
        {actions ? <div className="mt-2 flex flex-wrap gap-2">{actions}</div> : undefined}
        {details ? (
          <details className="mt-1.5 text-sm text-ink-faint">
            <summary className="w-fit rounded-sm">{details.label}</summary>
            <code className="mt-1 block font-mono whitespace-pre-wrap">{toShownText(details.text)}</code>
          </details>
        ) : undefined}
      </div>
    </div>
  );
}

const LEVELS = {
  info: { Icon: Info, look: 'border-line bg-sunken', ink: 'text-ink-soft' },
  warning: { Icon: TriangleAlert, look: 'border-transparent bg-warn-soft', ink: 'text-warn' },
  limit: { Icon: Gauge, look: 'border-transparent bg-limit-soft', ink: 'text-limit' },
  interrupted: {
    Icon: Unplug,
    look: 'border-transparent bg-interrupted-soft',
    ink: 'text-interrupted',
  },
  error: { Icon: CircleAlert, look: 'border-transparent bg-bad-soft', ink: 'text-bad' },
} as const;
