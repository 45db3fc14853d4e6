/** One of several, all in sight. Arrow keys choose. */
import { RadioGroup as Radix } from 'radix-ui';
import { type ReactNode, useId } from 'react';

interface RadioGroupProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
  readonly options: readonly { readonly value: string; readonly label: ReactNode; readonly hint?: string }[];
  readonly isDisabled?: boolean;
}

export function RadioGroup({ label, value, onChange, options, isDisabled = false }: RadioGroupProps) {
  const group = useId();
  return (
    <Radix.Root
      aria-label={label}
      value={value ?? ''}
      onValueChange={onChange}
      disabled={isDisabled}
      className="flex flex-col gap-1"
    >
      {options.map((option, index) => {
        const id = `${group}-${index}`;
        return (
          <span key={option.value} className="flex items-start gap-2 rounded-md px-2 py-1.5 hover:bg-hover">
            <Radix.Item
              id={id}
              value={option.value}
              className="mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-full border border-control bg-surface data-[state=checked]:border-accent data-[state=checked]:bg-accent disabled:opacity-50"
            >
              <Radix.Indicator className="size-1.5 rounded-full bg-accent-ink" />
            </Radix.Item>
            <label htmlFor={id} className="min-w-0 grow cursor-pointer wrap-anywhere">
              {option.label}
              {option.hint ? <span className="block text-sm text-ink-faint">{option.hint}</span> : undefined}
            </label>
          </span>
        );
      })}
    </Radix.Root>
  );
}
