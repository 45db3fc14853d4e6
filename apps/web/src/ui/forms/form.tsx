/** A form that validates in our code: after a failed submit, the first invalid field is focused. */
import type { FormHTMLAttributes, Ref } from 'react';

interface FormProps extends Omit<FormHTMLAttributes<HTMLFormElement>, 'onSubmit'> {
  readonly onSubmit: () => void;
  readonly ref?: Ref<HTMLFormElement>;
}

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
