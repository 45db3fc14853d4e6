/** One question: a text, one of some, any of some, yes or no, or a form. */
import type { Question } from '@crewagent/protocol/tools';
import { type ReactNode, useId } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Checkbox } from '../../ui/forms/checkbox.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { RadioGroup } from '../../ui/forms/radio-group.tsx';
import { Textarea } from '../../ui/forms/textarea.tsx';
import { toShownProse } from '../../ui/sanitize-text.ts';
import { SchemaForm } from './schema-form.tsx';

export interface QuestionFieldProps {
  readonly question: Question;
  readonly value: unknown;
  readonly issue: string | undefined;
  readonly isDisabled: boolean;
  readonly onChange: (value: unknown) => void;
  readonly onSubmit: () => void;
}

export function QuestionField(props: QuestionFieldProps): ReactNode {
  const { question, value, issue, isDisabled, onChange, onSubmit } = props;
  const { t } = useTranslation();
  const prompt = toShownProse(question.prompt);
  switch (question.type) {
    case 'text':
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
    case 'choice':
      return (
        <Group prompt={prompt} issue={issue}>
          <RadioGroup
            label={prompt}
            value={value as string | undefined}
            onChange={onChange}
            isDisabled={isDisabled}
            options={(question.options ?? []).map((option) => ({
              value: option,
              label: toShownProse(option),
            }))}
          />
        </Group>
      );
    case 'confirm':
      return (
        <Group prompt={prompt} issue={issue}>
          <RadioGroup
            label={prompt}
            value={typeof value === 'boolean' ? String(value) : undefined}
            onChange={(word) => onChange(word === 'true')}
            isDisabled={isDisabled}
            options={[
              { value: 'true', label: t('action.yes') },
              { value: 'false', label: t('action.no') },
            ]}
          />
        </Group>
      );
    case 'multi':
      return (
        <Group prompt={prompt} issue={issue}>
          <MultiChoice
            question={question}
            value={value as readonly string[]}
            isDisabled={isDisabled}
            onChange={onChange}
          />
        </Group>
      );
    case 'form':
      return (
        <Group prompt={prompt} issue={issue}>
          <SchemaForm
            schema={question.schema ?? {}}
            value={value}
            isDisabled={isDisabled}
            onChange={onChange}
          />
        </Group>
      );
  }
}

interface MultiChoiceProps {
  readonly question: Question;
  readonly value: readonly string[];
  readonly isDisabled: boolean;
  readonly onChange: (value: readonly string[]) => void;
}

function MultiChoice({ question, value, isDisabled, onChange }: MultiChoiceProps) {
  return (
    <div className="flex flex-col gap-2 px-2">
      {(question.options ?? []).map((option) => (
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
    </div>
  );
}

interface GroupProps {
  readonly prompt: string;
  readonly issue: string | undefined;
  readonly children: ReactNode;
}

function Group({ prompt, issue, children }: GroupProps) {
  const id = useId();
  return (
    <fieldset aria-describedby={issue === undefined ? undefined : id} className="min-w-0">
      <legend className="mb-1.5 text-sm font-medium whitespace-pre-wrap text-ink wrap-anywhere">
        {prompt}
      </legend>
      {children}
      {issue === undefined ? undefined : (
        <p id={id} className="mt-1 text-sm text-bad">
          {issue}
        </p>
      )}
    </fieldset>
  );
}
