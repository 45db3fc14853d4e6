/** Native radio buttons: Tab enters the group, arrow keys choose. */
import { type ReactNode, useId } from 'react';

interface RadioGroupProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
  readonly options: readonly RadioOption[];
  readonly isDisabled?: boolean;
}

interface RadioOption {
  readonly value: string;
  readonly label: ReactNode;
  readonly hint?: string;
  /** The hint explains why. */
  readonly isDisabled?: boolean;
}

export function RadioGroup({ label, value, onChange, options, isDisabled = false }: RadioGroupProps) {
  const group = useId();
  return (
    <div role="radiogroup" aria-label={label} className="flex flex-col gap-1">
      {options.map((option) => (
        <label
          key={option.value}
          className="flex cursor-pointer items-start gap-2 rounded-md px-2 py-1.5 hover:bg-hover has-disabled:cursor-default has-disabled:bg-transparent"
        >
          <input
            type="radio"
            name={group}
            value={option.value}
            checked={option.value === value}
            disabled={isDisabled || option.isDisabled}
            onChange={() => onChange(option.value)}
            className="mt-0.5 size-4 shrink-0 cursor-[inherit] appearance-none rounded-full border border-control bg-surface checked:border-[5px] checked:border-accent checked:bg-accent-ink disabled:opacity-50"
          />
          <span className="min-w-0 grow wrap-anywhere">
            <span className={option.isDisabled ? 'text-ink-faint' : undefined}>{option.label}</span>
            {option.hint ? <span className="block text-sm text-ink-faint">{option.hint}</span> : undefined}
          </span>
        </label>
      ))}
    </div>
  );
}
