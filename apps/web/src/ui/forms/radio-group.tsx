/** Native radio buttons: Tab enters the group, arrow keys choose. */
import { type ReactNode, useId } from 'react';

interface RadioGroupProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
  readonly options: readonly RadioOption[];
  readonly isDisabled?: boolean;
  /** Beside each other where there is room: in a line, or each with its hint in a column. */
  readonly layout?: 'list' | 'line' | 'columns';
}

interface RadioOption {
  readonly value: string;
  readonly label: ReactNode;
  readonly hint?: string | undefined;
  /** The hint explains why. */
  readonly isDisabled?: boolean;
}

export function RadioGroup(props: RadioGroupProps) {
  const { label, value, onChange, options, isDisabled = false, layout = 'list' } = props;
  const group = useId();
  return (
    <div role="radiogroup" aria-label={label} className={LAYOUTS[layout]}>
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

const LAYOUTS: Readonly<Record<NonNullable<RadioGroupProps['layout']>, string>> = {
  list: 'flex flex-col',
  line: 'flex flex-wrap gap-x-2 gap-y-1',
  columns: '-ms-2 grid gap-1 sm:auto-cols-fr sm:grid-flow-col sm:gap-3',
};
