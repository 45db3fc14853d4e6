/** A field for an API key: what is typed is hidden, and browsers must not fill it in. */
import type { InputHTMLAttributes } from 'react';
import { Input } from '../ui/forms/input.tsx';

interface KeyInputProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange'> {
  readonly value: string;
  readonly onChange: (key: string) => void;
}

export function KeyInput({ onChange, ...attributes }: KeyInputProps) {
  return (
    <Input
      {...attributes}
      type="password"
      autoComplete="new-password"
      spellCheck={false}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
