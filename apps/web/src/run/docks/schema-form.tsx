/**
 * A form generated from a question's JSON Schema: texts, numbers, yes or no, single choice. Anything else is written as JSON.
 */
import { isObject, parseObject, textOf } from '@crewagent/protocol/json-object';
import { type ReactNode, useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Checkbox } from '../../ui/forms/checkbox.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { Input, Select, Textarea } from '../../ui/forms/input.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { propertiesOf, requiredOf } from './first-answer.ts';

type Values = Readonly<Record<string, unknown>>;

interface SchemaFormProps {
  readonly schema: Values;
  /** The raw text while it is written as JSON and not yet valid. */
  readonly value: unknown;
  readonly isDisabled: boolean;
  readonly onChange: (value: Values | string) => void;
}

export function SchemaForm({ schema, value, isDisabled, onChange }: SchemaFormProps) {
  const properties = Object.entries(propertiesOf(schema));
  const values = objectOf(value);
  const required = requiredOf(schema);
  if (properties.length === 0) return <JsonField value={value} isDisabled={isDisabled} onChange={onChange} />;
  return (
    <div className="flex flex-col gap-3 border-s-2 ps-3">
      {properties.map(([name, property]) => (
        <PropertyField
          key={name}
          name={name}
          property={objectOf(property)}
          isRequired={required.includes(name)}
          value={values[name]}
          isDisabled={isDisabled}
          onChange={(next) => onChange(withProperty(values, name, next))}
        />
      ))}
    </div>
  );
}

interface PropertyFieldProps {
  readonly name: string;
  readonly property: Values;
  readonly isRequired: boolean;
  readonly value: unknown;
  readonly isDisabled: boolean;
  readonly onChange: (value: unknown) => void;
}

function PropertyField(props: PropertyFieldProps): ReactNode {
  const { name, property, isRequired, value, isDisabled, onChange } = props;
  const { t } = useTranslation();
  const title = toShownLine(textOf(property.title) ?? name);
  const label = isRequired ? title : t('question.optional', { name: title });
  const hint = textOf(property.description);
  if (property.type === 'boolean') {
    return <Checkbox label={title} isChecked={value === true} isDisabled={isDisabled} onChange={onChange} />;
  }
  const choices: readonly unknown[] | undefined = Array.isArray(property.enum) ? property.enum : undefined;
  const isNumber = property.type === 'number' || property.type === 'integer';
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint: toShownLine(hint) })}>
      {(ids) =>
        choices ? (
          <Select
            {...ids}
            value={value === undefined ? '' : JSON.stringify(value)}
            disabled={isDisabled}
            onChoose={(chosen) => onChange(choices.find((choice) => JSON.stringify(choice) === chosen))}
            options={[
              { value: '', label: t('form.choose') },
              ...choices.map((choice) => ({
                value: JSON.stringify(choice),
                label: toShownLine(textOf(choice) ?? JSON.stringify(choice)),
              })),
            ]}
          />
        ) : (
          <Input
            {...ids}
            type={isNumber ? 'number' : 'text'}
            step={property.type === 'integer' ? 1 : 'any'}
            value={typeof value === 'string' || typeof value === 'number' ? value : ''}
            disabled={isDisabled}
            onChange={({ target }) => onChange(isNumber ? toNumber(target.value) : target.value || undefined)}
          />
        )
      }
    </Field>
  );
}

function JsonField({ value, isDisabled, onChange }: Omit<SchemaFormProps, 'schema'>) {
  const { t } = useTranslation();
  const [text, setText] = useState(() => textOf(value) ?? JSON.stringify(value, null, 2));
  const change = (next: string): void => {
    setText(next);
    // Invalid JSON stays text, so that only what is visible is sent.
    onChange(parseObject(next) ?? next);
  };
  return (
    <Field label={t('question.json')} issue={isObject(value) ? undefined : t('question.jsonFault')}>
      {(ids) => (
        <Textarea
          {...ids}
          value={text}
          disabled={isDisabled}
          onChange={(event) => change(event.target.value)}
          className="font-mono text-sm"
        />
      )}
    </Field>
  );
}

/** Empty values are omitted. */
function withProperty(values: Values, name: string, value: unknown): Values {
  const { [name]: _, ...others } = values;
  return value === undefined ? others : { ...others, [name]: value };
}

function toNumber(text: string): number | undefined {
  const value = Number(text);
  return text.trim() === '' || Number.isNaN(value) ? undefined : value;
}

function objectOf(value: unknown): Values {
  return isObject(value) ? value : {};
}
