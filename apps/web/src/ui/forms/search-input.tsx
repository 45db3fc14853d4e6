/** A text field with a magnifying glass; its label is shown as the placeholder. */
import { Search } from 'lucide-react';
import type { InputHTMLAttributes } from 'react';
import { Input } from './input.tsx';

interface SearchInputProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'className'> {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

export function SearchInput({ label, onChange, ...attributes }: SearchInputProps) {
  return (
    <div className="relative">
      <Search
        aria-hidden="true"
        className="pointer-events-none absolute inset-s-2.5 top-1/2 size-3.5 -translate-y-1/2 text-ink-faint"
      />
      <Input
        type="search"
        aria-label={label}
        placeholder={label}
        {...attributes}
        onChange={(event) => onChange(event.target.value)}
        className="ps-8!"
      />
    </div>
  );
}
