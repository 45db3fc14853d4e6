/** A field: label, control, hint and error message, connected for screen readers; and the form around fields. */
import { type FormHTMLAttributes, type ReactNode, type Ref, useId } from 'react';

export interface FieldIds {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly issue?: string | undefined;
  readonly children: (ids: FieldIds) => ReactNode;
}

export function Field({ label, hint, issue, children }: FieldProps) {
  const id = useId();
  const noteId = `${id}-note`;
  const hasNote = issue !== undefined || hint !== undefined;
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium text-ink">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': hasNote ? noteId : undefined,
        'aria-invalid': issue === undefined ? undefined : true,
      })}
      {hasNote ? (
        <p id={noteId} className={`text-sm ${issue === undefined ? 'text-ink-faint' : 'text-bad'}`}>
          {issue ?? hint}
        </p>
      ) : undefined}
    </div>
  );
}

interface FormProps extends Omit<FormHTMLAttributes<HTMLFormElement>, 'onSubmit'> {
  readonly onSubmit: () => void;
  readonly ref?: Ref<HTMLFormElement>;
}

/** A form that validates in our code: after a failed submit, the first invalid field is focused. */
export function Form({ onSubmit, ...attributes }: FormProps) {
  return (
    <form
      noValidate
      {...attributes}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
        const form = event.currentTarget;
        // After the issues are rendered.
        requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
      }}
    />
  );
}
