/**
 * A button. `primary` marks the next action; a screen shows at most one.
 */
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { classNames } from './class-names.ts';
import { Spinner } from './spinner.tsx';

export type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger';

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: ButtonKind;
  readonly size?: 'sm' | 'md';
  readonly icon?: ReactNode;
  /** The action is running: the button is disabled and announces it. */
  readonly isBusy?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({ kind = 'plain', size = 'md', icon, isBusy = false, ...rest }: ButtonProps) {
  const { className, children, disabled, ...attributes } = rest;
  return (
    <button
      type="button"
      {...attributes}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
      className={classNames(
        'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap select-none',
        'transition-colors duration-(--quick) disabled:opacity-55',
        size === 'sm' ? 'h-6.5 px-2 text-sm' : 'h-8 px-3 text-base',
        KINDS[kind],
        className,
      )}
    >
      {isBusy ? <Spinner /> : icon}
      {children}
    </button>
  );
}

const KINDS: Readonly<Record<ButtonKind, string>> = {
  primary: 'bg-accent text-accent-ink enabled:hover:bg-accent-hover',
  plain: 'border border-line-strong bg-surface text-ink enabled:hover:bg-hover',
  quiet: 'text-ink-soft enabled:hover:bg-hover enabled:hover:text-ink',
  danger: 'bg-bad-fill text-accent-ink enabled:hover:brightness-110',
};
