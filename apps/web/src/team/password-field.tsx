/** A password that is typed, for the password manager of the browser. */
import { Field } from '../ui/forms/field.tsx';
import { Input } from '../ui/forms/input.tsx';

interface PasswordFieldProps {
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly label: string;
  readonly hint?: string;
  readonly autoComplete: 'current-password' | 'new-password';
}

export function PasswordField({ value, onChange, label, hint, autoComplete }: PasswordFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <Input
          {...ids}
          type="password"
          autoComplete={autoComplete}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
