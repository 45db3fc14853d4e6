/**
 * What the run wants to know: each question in the form it was asked in. Sent as a whole, once.
 */
import { type Answers, findAnswerIssue } from '@crewagent/protocol/answers';
import type { ItemOf } from '@crewagent/protocol/timeline';
import { MessageCircleQuestion } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { Dock } from './dock.tsx';
import { firstAnswer, isAnswered } from './first-answer.ts';
import { QuestionField } from './question-field.tsx';
import { useDraftAnswers } from './use-draft-answers.ts';
import { useSentOnce } from './use-sent-once.ts';

interface QuestionDockProps {
  readonly runId: string;
  readonly item: ItemOf<'question'>;
  readonly onAnswer: (callId: string, answers: Answers) => Promise<void>;
}

export function QuestionDock({ runId, item, onAnswer }: QuestionDockProps) {
  const { t } = useTranslation();
  const { questions, callId } = item;
  const { answers, change, forget } = useDraftAnswers(`${runId} ${item.seq}`, () =>
    Object.fromEntries(questions.map((question) => [question.id, firstAnswer(question)])),
  );
  const [isTried, setTried] = useState(false);
  const { isSending, issue, send } = useSentOnce();
  const open = questions.filter((question) => !isAnswered(question, answers[question.id]));
  const isComplete = open.length === 0 && findAnswerIssue(questions, answers) === undefined;

  const submit = (): void => {
    setTried(true);
    if (isComplete) send(() => onAnswer(callId, answers).then(forget));
  };

  return (
    <Dock
      icon={<MessageCircleQuestion aria-hidden="true" />}
      title={t('question.title', { count: questions.length })}
      issue={issue}
      footer={
        <>
          {questions.length > 1 ? (
            <p className="me-auto text-sm text-ink-faint">
              {t('question.answered', { done: questions.length - open.length, of: questions.length })}
            </p>
          ) : undefined}
          <Button kind="primary" isBusy={isSending} onClick={submit}>
            {t('question.send')}
          </Button>
        </>
      }
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {questions.map((question) => (
          <QuestionField
            key={question.id}
            question={question}
            value={answers[question.id]}
            issue={isTried && open.includes(question) ? t('question.isMissing') : undefined}
            isDisabled={isSending}
            onChange={(value) => change({ ...answers, [question.id]: value })}
            onSubmit={submit}
          />
        ))}
      </form>
    </Dock>
  );
}
