/** A checkbox with a label. */
import { Check } from 'lucide-react';
import { Checkbox as Radix } from 'radix-ui';
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
      <Radix.Root
        id={id}
        checked={isChecked}
        disabled={isDisabled}
        onCheckedChange={(checked) => onChange(checked === true)}
        className="mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-sm border border-control bg-surface text-accent-ink data-[state=checked]:border-accent data-[state=checked]:bg-accent disabled:opacity-50"
      >
        <Radix.Indicator>
          <Check className="size-3" strokeWidth={3} aria-hidden="true" />
        </Radix.Indicator>
      </Radix.Root>
      <label htmlFor={id} className="min-w-0 cursor-pointer wrap-anywhere">
        {label}
      </label>
    </span>
  );
}
