/**
 * A form made from the JSON Schema of a question: texts, numbers, yes or no, one of some. What it cannot draw is written as
 * JSON.
 */
import { type ReactNode, useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Field } from '../../ui/field.tsx';
import { toShownLine } from '../../ui/foreign-text.ts';
import { Input } from '../../ui/input.tsx';
import { Select } from '../../ui/select.tsx';
import { Textarea } from '../../ui/textarea.tsx';
import { requiredOf } from './first-answer.ts';

type Values = Readonly<Record<string, unknown>>;

interface SchemaFormProps {
  readonly schema: Values;
  readonly value: Values;
  readonly isDisabled: boolean;
  readonly onChange: (value: Values) => void;
}

export function SchemaForm({ schema, value, isDisabled, onChange }: SchemaFormProps) {
  const properties = Object.entries(objectOf(schema.properties));
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
          value={value[name]}
          isDisabled={isDisabled}
          onChange={(next) => onChange(withProperty(value, name, next))}
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
  const choices = Array.isArray(property.enum) ? property.enum.map(String) : undefined;
  const isNumber = property.type === 'number' || property.type === 'integer';
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint: toShownLine(hint) })}>
      {(ids) =>
        choices ? (
          <Select
            {...ids}
            value={typeof value === 'string' ? value : ''}
            disabled={isDisabled}
            onChoose={(word) => onChange(word === '' ? undefined : word)}
            options={[
              { value: '', label: t('question.choose') },
              ...choices.map((word) => ({ value: word, label: toShownLine(word) })),
            ]}
          />
        ) : (
          <Input
            {...ids}
            type={isNumber ? 'number' : 'text'}
            step={property.type === 'integer' ? 1 : 'any'}
            value={typeof value === 'string' || typeof value === 'number' ? value : ''}
            disabled={isDisabled}
            onChange={(event) => onChange(isNumber ? toNumber(event.target.value) : event.target.value)}
          />
        )
      }
    </Field>
  );
}

function JsonField({ value, isDisabled, onChange }: Omit<SchemaFormProps, 'schema'>) {
  const { t } = useTranslation();
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const [isBroken, setBroken] = useState(false);
  const change = (next: string): void => {
    setText(next);
    const parsed = parseObject(next);
    setBroken(!parsed);
    if (parsed) onChange(parsed);
  };
  return (
    <Field label={t('question.json')} fault={isBroken ? t('question.jsonFault') : undefined}>
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

function parseObject(text: string): Values | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Values)
      : undefined;
  } catch {
    return undefined;
  }
}

/** What is left empty is left out. */
function withProperty(values: Values, name: string, value: unknown): Values {
  const { [name]: _, ...others } = values;
  return value === undefined || value === '' ? others : { ...others, [name]: value };
}

function toNumber(text: string): number | undefined {
  const value = Number(text);
  return text.trim() === '' || Number.isNaN(value) ? undefined : value;
}

function objectOf(value: unknown): Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
