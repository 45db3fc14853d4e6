/** One question: a text, a single or multiple choice, yes or no, or a form. */
import { SKIPPED } from '@crewagent/protocol/answers';
import type { Question } from '@crewagent/protocol/tools';
import { type ReactNode, useId } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Field } from '../../ui/forms/field.tsx';
import { Textarea } from '../../ui/forms/input.tsx';
import { toShownProse } from '../../ui/sanitize-text.ts';
import { ChoiceOrOwn, MultiChoice } from './choice-answers.tsx';
import { firstAnswer } from './first-answer.ts';
import { toPrompt } from './question-body.tsx';
import { SchemaForm } from './schema-form.tsx';

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
