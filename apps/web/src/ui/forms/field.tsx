/**
 * A label, a control, a hint and a fault, tied together for people and for screen readers.
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
  readonly fault?: string | undefined;
  readonly children: (ids: FieldIds) => ReactNode;
}

export function Field({ label, hint, fault, children }: FieldProps) {
  const id = useId();
  const noteId = `${id}-note`;
  const hasNote = fault !== undefined || hint !== undefined;
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium text-ink">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': hasNote ? noteId : undefined,
        'aria-invalid': fault === undefined ? undefined : true,
      })}
      {hasNote ? (
        <p id={noteId} className={`text-sm ${fault === undefined ? 'text-ink-faint' : 'text-bad'}`}>
          {fault ?? hint}
        </p>
      ) : undefined}
    </div>
  );
}
