/** The options of a menu below a text: one click answers. */
import type { Question } from '@crewagent/protocol/tools';
import { Button } from '../../ui/button.tsx';
import { toShownProse } from '../../ui/sanitize-text.ts';
import { bodyOf } from './question-body.tsx';

/** One choice below a text, with few enough options to see at a glance. */
export function isMenu(questions: readonly Question[]): boolean {
  const [only, ...others] = questions;
  return (
    others.length === 0 &&
    only?.type === 'choice' &&
    bodyOf(questions) !== undefined &&
    (only.options ?? []).length <= MAX_BUTTONS
  );
}

const MAX_BUTTONS = 9;

interface OptionButtonsProps {
  readonly question: Question;
  readonly isDisabled: boolean;
  readonly onChoose: (option: string) => void;
}

export function OptionButtons({ question, isDisabled, onChoose }: OptionButtonsProps) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 text-sm font-medium whitespace-pre-wrap text-ink wrap-anywhere">
        {toShownProse(question.prompt)}
      </legend>
      <div className="flex flex-wrap gap-2">
        {(question.options ?? []).map((option) => (
          <Button key={option} disabled={isDisabled} onClick={() => onChoose(option)}>
            {toShownProse(option)}
          </Button>
        ))}
      </div>
    </fieldset>
  );
}
