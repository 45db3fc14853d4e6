/** The control for a typed input: a field, a choice, several choices, or yes and no. */
import type { InputValue, TypedInput } from '@crewagent/protocol/typed-inputs';
import { useTranslation } from '../../i18n/use-translation.ts';
import { toShownLine } from '../sanitize-text.ts';
import type { FieldIds } from './field.tsx';
import { FieldControl } from './field-control.tsx';

interface InputControlProps {
  readonly ids: FieldIds;
  readonly input: Pick<TypedInput, 'type' | 'choices' | 'prompt'>;
  readonly value: InputValue | undefined;
  readonly placeholder?: string | undefined;
  readonly onChange: (value: InputValue) => void;
  readonly onDone?: () => void;
}

export function InputControl({ input, value, onChange, ...control }: InputControlProps) {
  const { t } = useTranslation();
  const { type, choices = [], prompt } = input;
  const yesOrNo = [
    { value: 'true', label: t('action.yes') },
    { value: 'false', label: t('action.no') },
  ];
  return (
    <FieldControl
      {...control}
      field={{ type: TYPES[type] }}
      label={toShownLine(prompt)}
      typed={typeof value === 'boolean' ? String(value) : value}
      choices={
        type === 'confirm'
          ? yesOrNo
          : choices.map((choice) => ({ value: choice.value, label: toShownLine(choice.label) }))
      }
      className={type === 'path' ? 'font-mono' : undefined}
      onChange={(typed) => onChange(type === 'confirm' ? typed === 'true' : (typed as InputValue))}
    />
  );
}

const TYPES = { text: 'text', path: 'text', choice: 'choice', confirm: 'choice', multi: 'list' } as const;
