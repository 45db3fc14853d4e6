/** The control for a typed input: a field, a choice, several choices, or yes and no. */
import type { InputValue, TypedInput } from '@crewagent/protocol/typed-inputs';
import { useTranslation } from '../../i18n/use-translation.ts';
import { toShownLine } from '../sanitize-text.ts';
import { Checkbox } from './checkbox.tsx';
import type { FieldIds } from './field.tsx';
import { Input } from './input.tsx';
import { Select } from './select.tsx';

interface InputControlProps {
  readonly ids: FieldIds;
  readonly input: Pick<TypedInput, 'type' | 'choices' | 'prompt'>;
  readonly value: InputValue | undefined;
  readonly placeholder?: string | undefined;
  readonly onChange: (value: InputValue) => void;
  readonly onBlur?: () => void;
}

export function InputControl({ ids, input, value, placeholder, onChange, onBlur }: InputControlProps) {
  const { t } = useTranslation();
  const { type, choices = [], prompt } = input;
  switch (type) {
    case 'multi': {
      const chosen = Array.isArray(value) ? value : [];
      return (
        // biome-ignore lint/a11y/useSemanticElements: the label of the field names the group
        <div {...ids} role="group" aria-label={toShownLine(prompt)} className="flex flex-col gap-1.5">
          {choices.map((choice) => (
            <Checkbox
              key={choice.value}
              label={toShownLine(choice.label)}
              isChecked={chosen.includes(choice.value)}
              onChange={(isChecked) =>
                onChange(
                  isChecked ? [...chosen, choice.value] : chosen.filter((other) => other !== choice.value),
                )
              }
            />
          ))}
        </div>
      );
    }
    case 'choice':
    case 'confirm': {
      const options =
        type === 'confirm'
          ? [
              { value: 'true', label: t('inputs.yes') },
              { value: 'false', label: t('inputs.no') },
            ]
          : choices.map((choice) => ({ value: choice.value, label: toShownLine(choice.label) }));
      return (
        <Select
          {...ids}
          value={value === undefined ? '' : String(value)}
          options={value === undefined ? [{ value: '', label: t('inputs.choose') }, ...options] : options}
          onChoose={(chosen) => chosen !== '' && onChange(type === 'confirm' ? chosen === 'true' : chosen)}
        />
      );
    }
    default:
      return (
        <Input
          {...ids}
          autoComplete="off"
          spellCheck={false}
          value={typeof value === 'string' ? value : ''}
          placeholder={placeholder}
          {...(type === 'path' ? { className: 'font-mono' } : {})}
          onChange={(event) => onChange(event.target.value)}
          onBlur={onBlur}
        />
      );
  }
}
