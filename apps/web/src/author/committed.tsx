/** Fields that are edits: what was typed is applied when the field is left, or with Enter. Escape takes it back. */
import { type KeyboardEvent, useState } from 'react';
import { Field } from '../ui/forms/field.tsx';
import { isComposing, Textarea } from '../ui/forms/input.tsx';
import { TextField } from '../ui/forms/simple-fields.tsx';

interface CommittedProps {
  readonly label: string;
  readonly value: string;
  readonly onCommit: (value: string) => void;
  readonly hint?: string | undefined;
  readonly isMono?: boolean;
}

function useTyped({ value, onCommit }: Pick<CommittedProps, 'value' | 'onCommit'>) {
  const [typed, setTyped] = useState<string>();
  const commit = (): void => {
    setTyped(undefined);
    if (typed !== undefined && typed !== value) onCommit(typed);
  };
  return { shown: typed ?? value, setTyped, commit };
}

/** One line. */
export function CommittedText({ label, hint, isMono = false, ...field }: CommittedProps) {
  const { shown, setTyped, commit } = useTyped(field);
  const pressKey = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    if (event.key === 'Enter') commit();
    if (event.key === 'Escape') setTyped(undefined);
  };
  return (
    <TextField
      label={label}
      hint={hint}
      value={shown}
      spellCheck={!isMono}
      className={isMono ? 'font-mono' : undefined}
      onBlur={commit}
      onKeyDown={pressKey}
      onChange={setTyped}
    />
  );
}

/** Several lines; Enter begins a new one. */
export function CommittedLines({ label, hint, isMono = false, ...field }: CommittedProps) {
  const { shown, setTyped, commit } = useTyped(field);
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <Textarea
          {...ids}
          rows={2}
          value={shown}
          spellCheck={!isMono}
          className={isMono ? 'font-mono text-sm' : undefined}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={commit}
        />
      )}
    </Field>
  );
}

/** A list of texts, one on each line. */
export function CommittedList(
  props: Omit<CommittedProps, 'value' | 'onCommit'> & {
    readonly values: readonly string[];
    readonly onCommit: (values: string[]) => void;
  },
) {
  const { values, onCommit, ...rest } = props;
  return (
    <CommittedLines
      {...rest}
      value={values.join('\n')}
      onCommit={(text) =>
        onCommit(
          text
            .split('\n')
            .map((line) => line.trim())
            .filter((line) => line !== ''),
        )
      }
    />
  );
}
