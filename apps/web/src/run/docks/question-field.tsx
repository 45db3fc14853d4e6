/** One question: a text, a single or multiple choice, yes or no, or a form. */
import { SKIPPED } from '@crewagent/protocol/answers';
import type { Question } from '@crewagent/protocol/tools';
import { type ReactNode, useId } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Checkbox, RadioGroup } from '../../ui/forms/checkbox.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { Textarea } from '../../ui/forms/input.tsx';
import { toShownProse } from '../../ui/sanitize-text.ts';
import { firstAnswer } from './first-answer.ts';
import { SchemaForm } from './schema-form.tsx';
import { toPrompt } from './server-frame.tsx';

export interface QuestionFieldProps {
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
        'absolute -top-1 -end-2 px-2',
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

function AnswerField(props: QuestionFieldProps & { readonly prompt: string }): ReactNode {
  const { question, prompt, value, issue, isDisabled, onChange, onSubmit } = props;
  const { t } = useTranslation();
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
          <ChoiceOrOwn
            {...{ prompt, isDisabled, onSubmit }}
            value={value as string | undefined}
            onChange={onChange}
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
          <ChoiceOrOwn
            {...{ prompt, isDisabled, onSubmit }}
            value={value === undefined ? undefined : String(value)}
            onChange={(next) => onChange(next === 'true' || (next === 'false' ? false : next))}
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
            onSubmit={onSubmit}
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

interface ChoiceOrOwnProps {
  readonly prompt: string;
  readonly value: string | undefined;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly isDisabled: boolean;
  readonly onChange: (value: string) => void;
  readonly onSubmit: () => void;
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

interface OwnAnswerProps {
  readonly value: string;
  readonly isDisabled: boolean;
  readonly onChange: (value: string) => void;
  readonly onSubmit: () => void;
}

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

interface MultiChoiceProps {
  readonly question: Question;
  readonly value: readonly string[];
  readonly isDisabled: boolean;
  readonly onChange: (value: readonly string[]) => void;
  readonly onSubmit: () => void;
}

function MultiChoice({ question, value, isDisabled, onChange, onSubmit }: MultiChoiceProps) {
  const { t } = useTranslation();
  const { options = [] } = question;
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
