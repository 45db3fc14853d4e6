/** Native radio buttons whose labels look like cards, chips or a switch. */
import { type ReactNode, useId } from 'react';
import { classNames } from '../class-names.ts';

interface RadioLabelsProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly className: string;
  readonly options: readonly {
    readonly value: Value;
    readonly look: string;
    readonly content: ReactNode;
    readonly isDisabled?: boolean;
  }[];
}

export function RadioLabels<Value extends string>(props: RadioLabelsProps<Value>) {
  const name = useId();
  return (
    <div role="radiogroup" aria-label={props.label} className={props.className}>
      {props.options.map(({ value, look, content, isDisabled = false }) => (
        <label
          key={value}
          className={classNames(
            'has-focus-visible:outline-2 has-focus-visible:outline-accent-text',
            !isDisabled && 'cursor-pointer',
            look,
          )}
        >
          <input
            type="radio"
            name={name}
            className="sr-only"
            checked={value === props.value}
            disabled={isDisabled}
            onChange={() => props.onChange(value)}
          />
          {content}
        </label>
      ))}
    </div>
  );
}
