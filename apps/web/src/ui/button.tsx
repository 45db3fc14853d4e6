/** Buttons, with a text or only an icon. `primary` marks the next action; a screen shows at most one. */
import type { ButtonHTMLAttributes, MouseEvent, ReactNode, Ref } from 'react';
import { classNames } from './class-names.ts';
import { Tooltip } from './tooltip.tsx';

export type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger';

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: ButtonKind;
  readonly size?: 'sm' | 'md';
  readonly icon?: ReactNode;
  /** The action is running: the button announces it and does nothing. It keeps the focus, which `disabled` would take away. */
  readonly isBusy?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({ kind = 'plain', size = 'md', icon, isBusy = false, ...rest }: ButtonProps) {
  const { className, children, onClick, ...attributes } = rest;
  return (
    <button
      type="button"
      {...attributes}
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
      onClick={isBusy ? ignore : onClick}
      className={classNames(
        'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap select-none',
        'transition-colors duration-(--quick) disabled:opacity-55 aria-busy:opacity-55',
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

/** Neither this form is submitted, nor a menu around the button opened. */
function ignore(event: MouseEvent): void {
  event.preventDefault();
}

const KINDS: Readonly<Record<ButtonKind, string>> = {
  primary: 'bg-accent text-accent-ink enabled:hover:bg-accent-hover',
  plain: 'border border-line-strong bg-surface text-ink enabled:hover:bg-hover',
  quiet: 'text-ink-soft enabled:hover:bg-hover enabled:hover:text-ink',
  danger: 'bg-bad-fill text-accent-ink enabled:hover:brightness-110',
};

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly label: string;
  readonly shortcut?: string;
  readonly size?: 'sm' | 'md' | 'lg';
  readonly side?: 'top' | 'right' | 'bottom' | 'left';
  readonly isPressed?: boolean;
  /** Turn off where Escape has another meaning: an open tooltip handles it. */
  readonly hasTooltip?: boolean;
  readonly children: ReactNode;
  readonly ref?: Ref<HTMLButtonElement>;
}

/** Its label is the accessible name and the tooltip. */
export function IconButton(props: IconButtonProps) {
  const { label, shortcut, size = 'md', side = 'top', isPressed, hasTooltip = true, ...rest } = props;
  const { className, ...attributes } = rest;
  const button = (
    <button
      type="button"
      aria-label={label}
      aria-pressed={isPressed}
      {...attributes}
      className={classNames(
        'inline-flex shrink-0 items-center justify-center rounded-md text-ink-soft select-none',
        'transition-colors duration-(--quick) enabled:hover:bg-hover enabled:hover:text-ink disabled:opacity-45',
        isPressed && 'bg-hover text-ink',
        SIZES[size],
        className,
      )}
    />
  );
  if (!hasTooltip) return button;
  return (
    <Tooltip text={label} shortcut={shortcut} side={side}>
      {button}
    </Tooltip>
  );
}

const SIZES = {
  sm: 'size-6 [&_svg]:size-3.5',
  md: 'size-7.5 [&_svg]:size-4',
  lg: 'size-9 [&_svg]:size-[18px]',
} as const;

/** Progress of unknown duration. The surrounding text must name the operation. */
export function Spinner({ className = 'size-3.5' }: { readonly className?: string }) {
  return (
    <svg viewBox="0 0 16 16" className={`spinning shrink-0 ${className}`} aria-hidden="true">
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeOpacity="0.25" strokeWidth="2" />
      <path d="M14 8a6 6 0 0 0-6-6" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    </svg>
  );
}
