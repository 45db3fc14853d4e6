/** Fields with one plain control: a line of text, and a choice. */
import type { ComponentProps, InputHTMLAttributes, ReactNode } from 'react';
import { Field } from './field.tsx';
import { Input, Select } from './input.tsx';

interface FieldTexts {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly issue?: string | undefined;
  /** Has the focus when its dialog opens. */
  readonly 'data-autofocus'?: boolean;
}

interface TextFieldProps extends FieldTexts, Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'id'> {
  readonly onChange: (text: string) => void;
}

export function TextField({ label, hint, issue, onChange, ...attributes }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} issue={issue}>
      {(ids) => <Input {...ids} {...attributes} onChange={(event) => onChange(event.target.value)} />}
    </Field>
  );
}

type SelectFieldProps = FieldTexts & Omit<ComponentProps<typeof Select>, 'id'>;

export function SelectField({ label, hint, issue, ...attributes }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint} issue={issue}>
      {(ids) => <Select {...ids} {...attributes} />}
    </Field>
  );
}
