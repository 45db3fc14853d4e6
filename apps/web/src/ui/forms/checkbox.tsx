/** Controls for yes and no and for choices beside each other: checkbox, switch, radio buttons. */
import { Check } from 'lucide-react';
import { Checkbox as RadixCheckbox, Switch as RadixSwitch } from 'radix-ui';
import { type ReactNode, useId } from 'react';

interface CheckboxProps {
  readonly label: ReactNode;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly isDisabled?: boolean;
}

export function Checkbox({ label, isChecked, onChange, isDisabled = false }: CheckboxProps) {
  const id = useId();
  return (
    <span className="flex items-start gap-2">
      <RadixCheckbox.Root
        id={id}
        checked={isChecked}
        disabled={isDisabled}
        onCheckedChange={(checked) => onChange(checked === true)}
        className="mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-sm border border-control bg-surface text-accent-ink data-[state=checked]:border-accent data-[state=checked]:bg-accent disabled:opacity-50"
      >
        <RadixCheckbox.Indicator>
          <Check className="size-3" strokeWidth={3} />
        </RadixCheckbox.Indicator>
      </RadixCheckbox.Root>
      <label htmlFor={id} className="min-w-0 cursor-pointer wrap-anywhere">
        {label}
      </label>
    </span>
  );
}

interface SwitchProps {
  readonly label: ReactNode;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly isDisabled?: boolean;
  /** Set if the label is elsewhere. */
  readonly id?: string;
  readonly 'aria-describedby'?: string | undefined;
}

/** An on/off switch that applies immediately. */
export function Switch({ label, isOn, onChange, isDisabled = false, ...ids }: SwitchProps) {
  const ownId = useId();
  const id = ids.id ?? ownId;
  return (
    <span className="flex items-center justify-between gap-3">
      <label htmlFor={id} className="cursor-pointer">
        {label}
      </label>
      <RadixSwitch.Root
        id={id}
        aria-describedby={ids['aria-describedby']}
        checked={isOn}
        onCheckedChange={onChange}
        disabled={isDisabled}
        className="h-5 w-8.5 shrink-0 rounded-full bg-control p-0.5 transition-colors duration-(--quick) data-[state=checked]:bg-accent disabled:opacity-50"
      >
        <RadixSwitch.Thumb className="block size-4 rounded-full bg-[#fff] transition-transform duration-(--quick) data-[state=checked]:translate-x-3.5" />
      </RadixSwitch.Root>
    </span>
  );
}

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

/** Native radio buttons: Tab enters the group, arrow keys choose. */
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
  list: '-mx-2 flex flex-col',
  line: 'flex flex-wrap gap-x-2 gap-y-1',
  columns: '-ms-2 grid gap-1 sm:auto-cols-fr sm:grid-flow-col sm:gap-3',
};
