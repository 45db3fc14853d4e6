/** The control for a field: a switch, choices, lines of text, or a single-line input; and the texts of its choices and issues. */
import '../../i18n/settings-texts.ts';
import type { FieldShape } from '@crewagent/protocol/describe-fields';
import type { InputValue, TypedInput } from '@crewagent/protocol/typed-inputs';
import type { TFunction } from 'i18next';
import type { InputHTMLAttributes, Ref } from 'react';
import { fieldText, useTranslation } from '../../i18n/use-translation.ts';
import { toShownLine } from '../sanitize-text.ts';
import { Checkbox, RadioGroup, Switch } from './checkbox.tsx';
import type { FieldIds } from './field.tsx';
import { Input, isComposing, Select, Textarea } from './input.tsx';
import { type Typed, unitOf } from './typed-values.ts';

export interface FieldControlProps
  extends Pick<InputHTMLAttributes<HTMLInputElement>, 'placeholder' | 'className' | 'inputMode'> {
  readonly field: Pick<FieldShape, 'type' | 'isSecret' | 'examples'>;
  /** Left out for choices beside each other: they are a group with the label as its name. */
  readonly ids?: FieldIds | undefined;
  readonly label: string;
  readonly typed: Typed | undefined;
  readonly onChange: (typed: Typed) => void;
  /** The field was left, or Enter was pressed in it. */
  readonly onDone?: (() => void) | undefined;
  readonly choices?: readonly Choice[] | undefined;
  /** Choices beside each other instead of a list that opens. */
  readonly layout?: 'line' | 'columns' | 'list' | undefined;
  readonly unit?: string | undefined;
  readonly isDisabled?: boolean | undefined;
  readonly ref?: Ref<HTMLInputElement> | undefined;
  readonly 'data-autofocus'?: true | undefined;
}

export function FieldControl(props: FieldControlProps) {
  const {
    field,
    ids,
    label,
    typed,
    onChange,
    onDone,
    choices = [],
    layout,
    unit,
    isDisabled,
    ...others
  } = props;
  const { t } = useTranslation();
  const disabled = isDisabled === true;
  const text = typeof typed === 'string' ? typed : '';
  const isUnset = text === '' && !choices.some(({ value }) => value === '');
  if (field.type === 'boolean')
    return (
      <span className="flex sm:justify-end">
        <Switch
          {...ids}
          label={<span aria-hidden="true">{t(typed === true ? 'form.on' : 'form.off')}</span>}
          isOn={typed === true}
          isDisabled={disabled}
          onChange={onChange}
        />
      </span>
    );
  if (field.type === 'choice' && layout)
    return (
      <RadioGroup {...{ label, layout, onChange }} value={text} options={choices} isDisabled={disabled} />
    );
  if (field.type === 'choice')
    return (
      <Select
        {...ids}
        value={text}
        disabled={disabled}
        options={isUnset ? [{ value: '', label: t('form.choose') }, ...choices] : choices}
        onChoose={onChange}
      />
    );
  if (field.type === 'list' && choices.length > 0)
    return <Checkboxes {...{ ids, label, choices, onChange }} chosen={Array.isArray(typed) ? typed : []} />;
  if (field.type === 'list' || field.type === 'record')
    return (
      <Textarea
        {...ids}
        rows={3}
        spellCheck={false}
        autoComplete="off"
        value={text}
        disabled={disabled}
        placeholder={others.placeholder ?? field.examples?.join('\n')}
        className="font-mono text-sm!"
        onChange={(event) => onChange(event.target.value)}
        onBlur={onDone}
      />
    );
  const input = (
    <Input
      {...ids}
      {...others}
      type={field.isSecret ? 'password' : 'text'}
      inputMode={field.type === 'number' ? 'decimal' : others.inputMode}
      autoComplete={field.isSecret ? 'new-password' : 'off'}
      spellCheck={false}
      value={text}
      disabled={disabled}
      className={[others.className, unit && 'pe-16', field.type === 'number' && 'tabular-nums']
        .filter(Boolean)
        .join(' ')}
      onChange={(event) => onChange(event.target.value)}
      onBlur={onDone}
      onKeyDown={(event) => event.key === 'Enter' && !isComposing(event) && onDone?.()}
    />
  );
  if (unit === undefined) return input;
  return (
    <span className="relative">
      {input}
      <span
        aria-hidden="true"
        className="pointer-events-none absolute inset-y-0 end-2.5 flex items-center text-sm text-ink-faint"
      >
        {unit}
      </span>
    </span>
  );
}

interface CheckboxesProps extends Pick<FieldControlProps, 'ids' | 'label' | 'onChange'> {
  readonly choices: readonly Choice[];
  readonly chosen: readonly string[];
}

function Checkboxes({ ids, label, choices, chosen, onChange }: CheckboxesProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: the label of the field names the group
    <div {...ids} role="group" aria-label={label} className="flex flex-col gap-1.5">
      {choices.map((choice) => (
        <Checkbox
          key={choice.value}
          label={choice.label}
          isChecked={chosen.includes(choice.value)}
          onChange={(isChecked) =>
            onChange(isChecked ? [...chosen, choice.value] : chosen.filter((other) => other !== choice.value))
          }
        />
      ))}
    </div>
  );
}

interface InputControlProps {
  readonly ids: FieldIds;
  readonly input: Pick<TypedInput, 'type' | 'choices' | 'prompt'>;
  readonly value: InputValue | undefined;
  readonly placeholder?: string | undefined;
  readonly onChange: (value: InputValue) => void;
  readonly onDone?: () => void;
}

/** The control for a typed input: a field, a choice, several choices, or yes and no. */
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

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string | undefined;
}

/** A field with a text for it may also be left unset. */
export function choicesOf(
  t: TFunction,
  path: string,
  { options }: FieldShape,
): readonly Choice[] | undefined {
  const unset = fieldText(t, path, 'unset');
  const choices = options?.map((value) => ({
    value,
    label: fieldText(t, path, `options.${value}.label`) ?? value,
    hint: fieldText(t, path, `options.${value}.hint`),
  }));
  return choices && unset !== undefined ? [{ value: '', label: unset }, ...choices] : choices;
}

/** `issue`: a key of the field's texts, else what its schema expects is said. */
export function issueText(t: TFunction, path: string, field: FieldShape, issue: string): string {
  return fieldText(t, path, issue) ?? (issue === 'missing' ? t('form.missing') : expectation(t, path, field));
}

function expectation(t: TFunction, path: string, field: FieldShape): string {
  if (field.type !== 'number') return t(field.isUrl ? 'form.wrong.url' : 'form.wrong.text');
  const factor = unitOf(path)?.factor ?? 1;
  // A limit of one byte is none where kilobytes are typed.
  const above = factor !== 1 && field.least === 1 ? 0 : field.above;
  if (above !== undefined) return t('form.wrong.above', { above });
  const [least, most] = [(field.least ?? 0) / factor, field.most];
  if (most !== undefined) return t('form.wrong.range', { least, most: most / factor });
  return t(field.isWhole && factor === 1 ? 'form.wrong.whole' : 'form.wrong.least', { least });
}
