/**
 * Label, control, hint and error message, connected for screen readers.
 */
import { type ReactNode, useId } from 'react';

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
