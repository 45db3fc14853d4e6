/** A short status label. The text carries the meaning; the colour is secondary. */
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

export type Tone = 'neutral' | 'accent' | 'ok' | 'warn' | 'limit' | 'interrupted' | 'bad';

interface BadgeProps {
  readonly tone?: Tone;
  readonly icon?: ReactNode;
  readonly children: ReactNode;
}

export function Badge({ tone = 'neutral', icon, children }: BadgeProps) {
  return (
    <span
      className={classNames(
        'inline-flex h-5 shrink-0 items-center gap-1 rounded-full px-2 text-xs font-medium whitespace-nowrap [&_svg]:size-3',
        TONES[tone],
      )}
    >
      {icon}
      {children}
    </span>
  );
}

const TONES: Readonly<Record<Tone, string>> = {
  neutral: 'bg-hover text-ink-soft',
  accent: 'bg-accent-soft text-accent-text',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  limit: 'bg-limit-soft text-limit',
  interrupted: 'bg-interrupted-soft text-interrupted',
  bad: 'bg-bad-soft text-bad',
};
