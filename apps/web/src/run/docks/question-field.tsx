/** One question: a text, a single or multiple choice, yes or no, or a form. */
import { SKIPPED } from '@crewagent/protocol/answers';
import { isObject, parseObject, textOf } from '@crewagent/protocol/json-object';
import type { Question } from '@crewagent/protocol/tools';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Checkbox, RadioGroup } from '../../ui/forms/checkbox.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { Input, Select, Textarea } from '../../ui/forms/input.tsx';
import { toShownLine, toShownProse } from '../../ui/sanitize-text.ts';
import { firstAnswer, propertiesOf, requiredOf } from './first-answer.ts';
import { toPrompt } from './question-body.tsx';

interface QuestionFieldProps {
  readonly question: Question;
  /** Position among the questions, from 1. */
  readonly number: number;
  /** The dock has a button to skip a single question. */
  readonly isOnly: boolean;
  readonly value: unknown;
  readonly issue: string | undefined;
  readonly isDisabled: boolean;
  readonly onChange: (value: unknown) => void;
  readonly onSubmit: () => void;
}

export function QuestionField(props: QuestionFieldProps): ReactNode {
  const { question, number, isOnly, value, isDisabled, onChange } = props;
  const { t } = useTranslation();
  const prompt = toPrompt(question);
  const isSkipped = value === SKIPPED;
  const skip = (
    <Button
      size="sm"
      kind="quiet"
      // Pointer only: with the keyboard, unanswered questions are skipped at the end.
      tabIndex={-1}
      disabled={isDisabled}
      aria-label={t(isSkipped ? 'question.answerNamed' : 'question.skipNamed', { number })}
      // In sight while the question has the pointer or the focus, and where there is no pointer.
      className={classNames(
        'absolute -top-1 -end-2 px-2 pointer-coarse:-top-3.5',
        !isSkipped &&
          'opacity-0 group-hover/question:opacity-100 group-focus-within/question:opacity-100 pointer-coarse:opacity-100',
      )}
      onClick={() => onChange(isSkipped ? firstAnswer(question) : SKIPPED)}
    >
      {t(isSkipped ? 'question.send' : 'question.skip')}
    </Button>
  );
  return (
    <div
      data-question={question.id}
      className={classNames(
        'group/question relative',
        !isOnly && '[&_label:first-child]:pe-14 [&_legend]:pe-14 [&_p:first-child]:pe-14',
      )}
    >
      {isSkipped ? (
        <p className="text-sm text-ink-faint">
          <span className="block font-medium wrap-anywhere">{prompt}</span>
          {t('question.skipped')}
        </p>
      ) : (
        <AnswerField {...props} prompt={prompt} />
      )}
      {isOnly ? undefined : skip}
    </div>
  );
}

type AnswerFieldProps = QuestionFieldProps & { readonly prompt: string };

function AnswerField(props: AnswerFieldProps): ReactNode {
  const { question, prompt, value, issue, isDisabled, onChange, onSubmit } = props;
  const id = useId();
  if (question.type === 'text')
    return (
      <Field label={prompt} issue={issue}>
        {(ids) => (
          <Textarea
            {...ids}
            value={value as string}
            disabled={isDisabled}
            maxRows={8}
            onChange={(event) => onChange(event.target.value)}
            onEnter={onSubmit}
          />
        )}
      </Field>
    );
  return (
    <fieldset aria-describedby={issue === undefined ? undefined : id} className="min-w-0">
      <legend className="mb-1.5 text-sm font-medium whitespace-pre-wrap text-ink wrap-anywhere">
        {prompt}
      </legend>
      <Choices {...props} />
      {issue === undefined ? undefined : (
        <p id={id} className="mt-1 text-sm text-bad">
          {issue}
        </p>
      )}
    </fieldset>
  );
}

function Choices({ question, ...props }: AnswerFieldProps): ReactNode {
  const { value, onChange } = props;
  const { t } = useTranslation();
  const { options = [], schema = {} } = question;
  switch (question.type) {
    case 'text':
      return undefined;
    case 'choice':
      return (
        <ChoiceOrOwn
          {...props}
          value={value as string | undefined}
          options={options.map((option) => ({ value: option, label: toShownProse(option) }))}
        />
      );
    case 'confirm':
      return (
        <ChoiceOrOwn
          {...props}
          value={value === undefined ? undefined : String(value)}
          onChange={(next) => onChange(next === 'true' || (next === 'false' ? false : next))}
          options={[
            { value: 'true', label: t('action.yes') },
            { value: 'false', label: t('action.no') },
          ]}
        />
      );
    case 'multi':
      return <MultiChoice {...props} value={value as readonly string[]} options={options} />;
    case 'form':
      return <SchemaForm {...props} schema={schema} />;
  }
}

interface OwnAnswerProps {
  readonly value: string;
  readonly isDisabled: boolean;
  readonly onChange: (value: string) => void;
  readonly onSubmit: () => void;
}

interface ChoiceOrOwnProps extends Omit<OwnAnswerProps, 'value'> {
  readonly prompt: string;
  readonly value: string | undefined;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** One of the options, or free text. */
function ChoiceOrOwn({ prompt, value, options, isDisabled, onChange, onSubmit }: ChoiceOrOwnProps) {
  const { t } = useTranslation();
  const isOwn = value !== undefined && !options.some((option) => option.value === value);
  return (
    <>
      <RadioGroup
        label={prompt}
        value={isOwn ? OWN : value}
        onChange={(chosen) => onChange(chosen === OWN ? '' : chosen)}
        isDisabled={isDisabled}
        options={[...options, { value: OWN, label: t('question.other') }]}
      />
      {isOwn ? <OwnAnswer {...{ value, isDisabled, onChange, onSubmit }} /> : undefined}
    </>
  );
}

/** Never equal to an option: options contain no NUL. */
const OWN = '\0own';

function OwnAnswer({ value, isDisabled, onChange, onSubmit }: OwnAnswerProps) {
  const { t } = useTranslation();
  return (
    <div className="ps-8 pe-2 pt-1">
      <Textarea
        aria-label={t('question.own')}
        placeholder={t('question.own')}
        value={value}
        disabled={isDisabled}
        maxRows={4}
        onChange={(event) => onChange(event.target.value)}
        onEnter={onSubmit}
      />
    </div>
  );
}

interface MultiChoiceProps extends Pick<OwnAnswerProps, 'isDisabled' | 'onSubmit'> {
  readonly options: readonly string[];
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
}

function MultiChoice({ options, value, isDisabled, onChange, onSubmit }: MultiChoiceProps) {
  const { t } = useTranslation();
  const own = value.find((chosen) => !options.includes(chosen));
  const chosenOptions = value.filter((chosen) => options.includes(chosen));
  return (
    <div className="flex flex-col gap-2 px-2">
      {options.map((option) => (
        <Checkbox
          key={option}
          label={toShownProse(option)}
          isChecked={value.includes(option)}
          isDisabled={isDisabled}
          onChange={(isChecked) =>
            onChange(isChecked ? [...value, option] : value.filter((chosen) => chosen !== option))
          }
        />
      ))}
      <Checkbox
        label={t('question.other')}
        isChecked={own !== undefined}
        isDisabled={isDisabled}
        onChange={(isChecked) => onChange(isChecked ? [...chosenOptions, ''] : chosenOptions)}
      />
      {own === undefined ? undefined : (
        <OwnAnswer
          {...{ isDisabled, onSubmit }}
          value={own}
          onChange={(text) => onChange([...chosenOptions, text])}
        />
      )}
    </div>
  );
}

type Values = Readonly<Record<string, unknown>>;

interface SchemaFormProps {
  readonly schema: Values;
  /** The raw text while it is written as JSON and not yet valid. */
  readonly value: unknown;
  readonly isDisabled: boolean;
  readonly onChange: (value: Values | string) => void;
}

/**
 * A form generated from a question's JSON Schema: texts, numbers, yes or no, single choice. Anything else is written as JSON.
 */
function SchemaForm({ schema, value, isDisabled, onChange }: SchemaFormProps) {
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
