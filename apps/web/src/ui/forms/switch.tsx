/** Two or three options of which one is on, as one control. */
import { ToggleGroup } from 'radix-ui';
import { classNames } from '../class-names.ts';

interface SwitchProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly onChange: (value: Value) => void;
  readonly size?: 'sm' | 'md';
}

export function Switch<Value extends string>(props: SwitchProps<Value>) {
  const { label, value, options, onChange, size = 'md' } = props;
  return (
    <ToggleGroup.Root
      type="single"
      value={value}
      aria-label={label}
      onValueChange={(next) => {
        // Pressing the active option again changes nothing.
        const chosen = options.find((option) => option.value === next);
        if (chosen) onChange(chosen.value);
      }}
      className={classNames(
        'flex shrink-0 items-center rounded-md bg-hover p-0.5 pointer-coarse:h-11',
        size === 'sm' ? 'h-5.5' : 'h-6.5',
      )}
    >
      {options.map((option) => (
        <ToggleGroup.Item
          key={option.value}
          value={option.value}
          className={classNames(
            'h-full rounded-sm font-medium text-ink-soft hover:text-ink data-[state=on]:bg-surface data-[state=on]:text-ink data-[state=on]:shadow-raised',
            size === 'sm' ? 'px-1.5 text-xs' : 'px-2 text-sm',
          )}
        >
          {option.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
