/** A single-line text field. */
import type { InputHTMLAttributes, Ref } from 'react';
import { classNames } from '../class-names.ts';

interface InputProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly ref?: Ref<HTMLInputElement> | undefined;
}

export function Input({ className, ...attributes }: InputProps) {
  return <input type="text" {...attributes} className={classNames(CONTROL, 'h-8 px-2.5', className)} />;
}

/** Common look of all text controls. */
export const CONTROL =
  'w-full min-w-0 rounded-md border border-line-strong bg-surface text-base text-ink transition-colors duration-(--quick) ' +
  'hover:border-control focus-visible:border-accent-text focus-visible:outline-1 focus-visible:-outline-offset-1 ' +
  'aria-invalid:border-bad disabled:opacity-60';
