/**
 * Native select: complete for keyboards, screen readers and phones.
 */
import { ChevronDown } from 'lucide-react';
import type { SelectHTMLAttributes } from 'react';
import { classNames } from '../class-names.ts';
import { CONTROL } from './input.tsx';

interface SelectProps extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange'> {
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onChoose: (value: string) => void;
}

export function Select({ options, onChoose, className, ...attributes }: SelectProps) {
  return (
    <span className={classNames('relative inline-flex w-full', className)}>
      <select
        {...attributes}
        onChange={(event) => onChoose(event.target.value)}
        className={classNames(CONTROL, 'own-select h-8 ps-2.5 pe-8')}
      >
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <ChevronDown
        aria-hidden="true"
        className="pointer-events-none absolute inset-e-2.5 top-1/2 size-3.5 -translate-y-1/2 text-ink-faint"
      />
    </span>
  );
}
