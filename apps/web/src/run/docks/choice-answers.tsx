/** One or several of the options of a question, or an answer in the person's own words. */
import { useTranslation } from '../../i18n/use-translation.ts';
import { Checkbox, RadioGroup } from '../../ui/forms/checkbox.tsx';
import { Textarea } from '../../ui/forms/input.tsx';
import { toShownProse } from '../../ui/sanitize-text.ts';

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
export function ChoiceOrOwn({ prompt, value, options, isDisabled, onChange, onSubmit }: ChoiceOrOwnProps) {
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
    <div className="ps-6 pt-1">
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

export function MultiChoice({ options, value, isDisabled, onChange, onSubmit }: MultiChoiceProps) {
  const { t } = useTranslation();
  const own = value.find((chosen) => !options.includes(chosen));
  const chosenOptions = value.filter((chosen) => options.includes(chosen));
  return (
    <div className="flex flex-col gap-3 py-1.5">
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
