/**
 * A button with only an icon. Its label is the accessible name and the tooltip.
 */
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { classNames } from './class-names.ts';
import { Tooltip } from './tooltip.tsx';

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
