/** Questions of a workflow that are asked once per project or person, before its first run. */
import type { ShownInput } from '@crewagent/protocol/api/settings';
import { findInputIssue } from '@crewagent/protocol/input-answers';
import type { InputValue } from '@crewagent/protocol/typed-inputs';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Field } from '../../ui/forms/field.tsx';
import { InputControl } from '../../ui/forms/field-control.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';

export type InputAnswers = Readonly<Record<string, InputValue>>;

interface FirstQuestionsProps {
  readonly inputs: readonly ShownInput[];
  readonly answers: InputAnswers;
  readonly onChange: (answers: InputAnswers) => void;
}

export const QUESTIONS_ID = 'new-questions';

export function FirstQuestions({ inputs, answers, onChange }: FirstQuestionsProps) {
  const { t } = useTranslation();
  if (inputs.length === 0) return undefined;
  return (
    <fieldset id={QUESTIONS_ID} tabIndex={-1} className="flex flex-col gap-3 rounded-lg border p-3.5">
      <legend className="px-1 text-sm font-medium">{t('inputs.title')}</legend>
      <p className="text-sm text-ink-faint">{t('inputs.text')}</p>
      {inputs.map((input) => {
        const value = answers[input.name] ?? input.value;
        const isWrong = answers[input.name] !== undefined && isIssue(input, value);
        return (
          <Field
            key={input.name}
            label={toShownLine(input.prompt)}
            hint={t(input.scope === 'person' ? 'inputs.perPerson' : 'inputs.perProject')}
            issue={isWrong ? t(input.type === 'path' ? 'inputs.wrongPath' : 'inputs.wrong') : undefined}
          >
            {(ids) => (
              <InputControl
                ids={ids}
                input={input}
                value={value}
                onChange={(next) => onChange({ ...answers, [input.name]: next })}
              />
            )}
          </Field>
        );
      })}
    </fieldset>
  );
}

/** Inputs without a stored answer. */
export function openQuestions(inputs: readonly ShownInput[]): ShownInput[] {
  return inputs.filter(({ source }) => source === 'default' || source === 'none');
}

/** Inputs whose answer, or default, is missing or invalid. */
export function missingAnswers(inputs: readonly ShownInput[], answers: InputAnswers): ShownInput[] {
  return inputs.filter((input) => isIssue(input, answers[input.name] ?? input.value));
}

function isIssue(input: ShownInput, value: InputValue | undefined): boolean {
  return value === undefined || findInputIssue(input, value) !== undefined;
}

/** The values to store: answers, and defaults that were not changed. */
export function toValues(inputs: readonly ShownInput[], answers: InputAnswers): Record<string, InputValue> {
  return Object.fromEntries(
    inputs.flatMap(({ name, value }) => {
      const answer = answers[name] ?? value;
      return answer === undefined ? [] : [[name, answer]];
    }),
  );
}
