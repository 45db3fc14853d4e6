/**
 * Questions of the run: each answered in its own form or skipped, or one free-text reply to all. Everything is sent at once.
 */
import { type Answers, FOR_ALL, findAnswerIssue, SKIPPED } from '@crewagent/protocol/answers';
import type { ItemOf } from '@crewagent/protocol/timeline';
import type { Question } from '@crewagent/protocol/tools';
import { MessageCircleQuestion, Square } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { Textarea } from '../../ui/forms/input.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Dock } from './dock.tsx';
import { firstAnswer, isAnswered } from './first-answer.ts';
import { isMenu, OptionButtons } from './option-buttons.tsx';
import { QuestionBody } from './question-body.tsx';
import { QuestionField } from './question-field.tsx';
import { ServerFrame } from './server-frame.tsx';
import { ALLOW_KEYS, toAriaKeys } from './use-dock-keys.ts';
import { useDraftAnswers } from './use-draft-answers.ts';
import { useSentOnce } from './use-sent-once.ts';

interface QuestionDockProps {
  readonly runId: string;
  readonly item: ItemOf<'question'>;
  readonly onAnswer: (callId: string, answers: Answers) => Promise<void>;
  /** Stops the turn. */
  readonly onStop: () => Promise<void>;
}

export function QuestionDock({ runId, item, onAnswer, onStop }: QuestionDockProps) {
  const { t } = useTranslation();
  const { questions, callId } = item;
  const { answers, change, forget } = useDraftAnswers(`${runId} ${item.seq}`, () =>
    Object.fromEntries(questions.map((question) => [question.id, firstAnswer(question)])),
  );
  const [reply, setReply] = useState('');
  const [isReplying, setReplying] = useState(false);
  const [isTried, setTried] = useState(false);
  const { isSending, issue, send } = useSentOnce();
  const open = questions.filter((question) => !isAnswered(question, answers[question.id]));
  const answered = questions.filter((question) => !open.includes(question));
  // A single question has a field for any text: its own, or that of "Other…". A form has none.
  const [first] = questions;
  const hasButtons = isMenu(questions);
  const takesReply = questions.length > 1 || first?.type === 'form' || hasButtons;
  const hasReply = isReplying && reply.trim() !== '';

  const choose = (option: string): void => {
    if (first) send(() => onAnswer(callId, { [first.id]: option }).then(forget));
  };
  const submit = (): void => {
    setTried(true);
    const sent = hasReply ? withReply(questions, answers, reply.trim()) : toSent(answers);
    const isComplete = hasReply || open.length === 0;
    if (isComplete && findAnswerIssue(questions, sent) === undefined)
      send(() => onAnswer(callId, sent).then(forget));
  };
  const skipRest = (): void => {
    const sent = skipExcept(questions, answered, answers);
    send(() => onAnswer(callId, sent).then(forget));
  };
  const stop = (): void => {
    const skipped = skipExcept(questions, [], answers);
    send(() => onAnswer(callId, skipped).then(forget).then(onStop));
  };

  return (
    <Dock
      icon={<MessageCircleQuestion aria-hidden="true" />}
      title={t('question.title', { count: questions.length })}
      aside={
        <QuestionAside
          answered={answered.length}
          questions={questions.length}
          isSending={isSending}
          onStop={stop}
        />
      }
      issue={issue}
      keys={{ [ALLOW_KEYS]: hasButtons && !hasReply ? undefined : submit }}
      footer={
        <QuestionFooter
          hasButtons={hasButtons}
          reply={isReplying ? reply : undefined}
          onReply={setReply}
          onToggleReply={takesReply ? () => setReplying(!isReplying) : undefined}
          onSkip={hasReply || open.length === 0 ? undefined : skipRest}
          skipLabel={t(skipLabelOf(questions.length, answered.length))}
          sendLabel={t(hasReply ? 'question.sendReply' : 'question.send')}
          isSending={isSending}
          onSend={hasButtons && !isReplying ? undefined : submit}
        />
      }
    >
      <QuestionBody questions={questions} />
      {first && hasButtons ? (
        <OptionButtons question={first} isDisabled={isSending} onChoose={choose} />
      ) : (
        <form
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <ServerFrame questions={questions}>
            {questions.map((question, index) => (
              <QuestionField
                key={question.id}
                question={question}
                number={index + 1}
                isOnly={questions.length === 1}
                value={answers[question.id]}
                issue={isTried && !hasReply && open.includes(question) ? t('question.isMissing') : undefined}
                isDisabled={isSending}
                onChange={(value) => change({ ...answers, [question.id]: value })}
                onSubmit={submit}
              />
            ))}
          </ServerFrame>
        </form>
      )}
    </Dock>
  );
}

function skipLabelOf(
  questions: number,
  answered: number,
): 'question.skip' | 'question.skipAll' | 'question.skipRest' {
  if (questions === 1) return 'question.skip';
  return answered === 0 ? 'question.skipAll' : 'question.skipRest';
}

interface QuestionAsideProps {
  /** Numbers of both. */
  readonly answered: number;
  readonly questions: number;
  readonly isSending: boolean;
  readonly onStop: () => void;
}

function QuestionAside({ answered, questions, isSending, onStop }: QuestionAsideProps) {
  const { t } = useTranslation();
  return (
    <>
      {questions > 1 ? (
        <span className="shrink-0 text-sm text-ink-faint tabular-nums">
          {t('question.answered', { done: answered, of: questions })}
        </span>
      ) : undefined}
      <Button
        size="sm"
        kind="quiet"
        icon={<Square aria-hidden="true" className="size-3 fill-current" />}
        aria-label={t('question.stop')}
        disabled={isSending}
        onClick={onStop}
        className="-me-1"
      >
        {t('action.stop')}
      </Button>
    </>
  );
}

interface QuestionFooterProps {
  readonly hasButtons: boolean;
  /** The reply to all questions; undefined while its field is closed. */
  readonly reply: string | undefined;
  readonly onReply: (reply: string) => void;
  /** Undefined where each question has a field for any text. */
  readonly onToggleReply: (() => void) | undefined;
  /** Undefined if nothing is left to skip. */
  readonly onSkip: (() => void) | undefined;
  readonly skipLabel: string;
  readonly sendLabel: string;
  readonly isSending: boolean;
  /** Undefined where a click on an option answers. */
  readonly onSend: (() => void) | undefined;
}

function QuestionFooter(props: QuestionFooterProps) {
  const { reply, onReply, onToggleReply, onSkip, isSending, onSend } = props;
  const { t } = useTranslation();
  const isReplying = reply !== undefined;
  return (
    <>
      {isReplying ? (
        <div className="min-w-48 grow basis-full">
          <Textarea
            // The person just opened it.
            autoFocus
            aria-label={t('question.reply')}
            placeholder={t(props.hasButtons ? 'question.own' : 'question.replyHint')}
            value={reply}
            disabled={isSending}
            maxRows={3}
            onChange={(event) => onReply(event.target.value)}
            {...(onSend ? { onEnter: onSend } : {})}
          />
        </div>
      ) : undefined}
      {/* The first one for the keyboard is the last one to see. */}
      {onSend ? (
        <Button
          kind="primary"
          isBusy={isSending}
          aria-keyshortcuts={toAriaKeys(ALLOW_KEYS)}
          onClick={onSend}
          className="order-last"
        >
          {props.sendLabel}
          <Kbd keys={ALLOW_KEYS} isOnButton />
        </Button>
      ) : undefined}
      {onToggleReply ? (
        <Button
          kind="quiet"
          aria-expanded={isReplying}
          disabled={isSending}
          onClick={onToggleReply}
          className="-ms-2 me-auto px-2"
        >
          {t(isReplying ? (props.hasButtons ? 'question.noOwn' : 'question.noReply') : 'question.reply')}
        </Button>
      ) : undefined}
      {onSkip ? (
        <Button kind="quiet" disabled={isSending} onClick={onSkip}>
          {props.skipLabel}
        </Button>
      ) : undefined}
    </>
  );
}

/** An own answer that is empty is dropped. */
function toSent(answers: Answers): Answers {
  return Object.fromEntries(
    Object.entries(answers).map(([id, value]) => [
      id,
      Array.isArray(value) ? value.filter((chosen) => chosen !== '') : value,
    ]),
  );
}

function skipExcept(
  questions: readonly Question[],
  answered: readonly Question[],
  answers: Answers,
): Answers {
  const sent = toSent(answers);
  return Object.fromEntries(
    questions.map((question) => [question.id, answered.includes(question) ? sent[question.id] : SKIPPED]),
  );
}

/** One reply to all questions without an answer of their own. A server knows only answers to each. */
function withReply(questions: readonly Question[], answers: Answers, reply: string): Answers {
  const sent = toSent(answers);
  const unanswered = questions.filter((question) => !isAnswered(question, answers[question.id]));
  if (questions.length > 1 && !questions.some(({ source }) => source)) {
    const answered = questions.filter((question) => !unanswered.includes(question));
    return { ...Object.fromEntries(answered.map(({ id }) => [id, sent[id]])), [FOR_ALL]: reply };
  }
  const target = unanswered[0] ?? questions[0];
  return Object.fromEntries(
    questions.map((question) => {
      if (question === target) return [question.id, question.type === 'multi' ? [reply] : reply];
      return [question.id, unanswered.includes(question) ? SKIPPED : sent[question.id]];
    }),
  );
}
