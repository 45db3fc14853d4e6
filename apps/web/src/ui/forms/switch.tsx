/** An on/off switch that applies immediately. */
import { Switch as Radix } from 'radix-ui';
import { type ReactNode, useId } from 'react';

interface SwitchProps {
  readonly label: ReactNode;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly isDisabled?: boolean;
  /** Set if the label is elsewhere. */
  readonly id?: string;
  readonly 'aria-describedby'?: string | undefined;
}

export function Switch({ label, isOn, onChange, isDisabled = false, ...ids }: SwitchProps) {
  const ownId = useId();
  const id = ids.id ?? ownId;
  return (
    <span className="flex items-center justify-between gap-3">
      <label htmlFor={id} className="cursor-pointer">
        {label}
      </label>
      <Radix.Root
        id={id}
        aria-describedby={ids['aria-describedby']}
        checked={isOn}
        onCheckedChange={onChange}
        disabled={isDisabled}
        className="h-5 w-8.5 shrink-0 rounded-full bg-control p-0.5 transition-colors duration-(--quick) data-[state=checked]:bg-accent disabled:opacity-50"
      >
        <Radix.Thumb className="block size-4 rounded-full bg-[#fff] transition-transform duration-(--quick) data-[state=checked]:translate-x-3.5" />
      </Radix.Root>
    </span>
  );
}
