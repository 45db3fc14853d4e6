/**
 * Questions of the run: each answered in its own form or skipped, or one free-text reply to all. Everything is sent at once.
 */
import { type Answers, FOR_ALL, findAnswerIssue, SKIPPED } from '@crewagent/protocol/answers';
import { isObject } from '@crewagent/protocol/json-object';
import type { ItemOf } from '@crewagent/protocol/story/items';
import type { Question } from '@crewagent/protocol/tools';
import { MessageCircleQuestion, Square } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Textarea } from '../../ui/forms/input.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { toShownProse } from '../../ui/sanitize-text.ts';
import { AttachButton, AttachmentList } from '../attachments/attachment-list.tsx';
import type { AttachmentApi } from '../attachments/use-attachments.ts';
import { DropZone, useAnswerAttachments } from './answer-attachments.tsx';
import { ALLOW_KEYS, Dock, toAriaKeys, useSentOnce } from './dock.tsx';
import { firstAnswer, isAnswered, isOptional } from './first-answer.ts';
import { bodyOf, QuestionBody, ServerFrame } from './question-body.tsx';
import { QuestionField } from './question-field.tsx';

interface QuestionDockProps extends AttachmentApi {
  readonly runId: string;
  readonly item: ItemOf<'question'>;
  readonly onAnswer: (callId: string, answers: Answers) => Promise<void>;
  /** Skips the questions and stops. */
  readonly onStop: (callId: string) => Promise<void>;
}

export function QuestionDock(props: QuestionDockProps) {
  const { t } = useTranslation();
  const { questions } = props.item;
  const answering = useAnswering(props);
  const { answers, missing, answered, skipped, menu, hasReply, isSending, submit } = answering;
  const { attaching, drop } = useAnswerAttachments(props, answering);
  const dock = (
    <Dock
      icon={<MessageCircleQuestion />}
      title={t('question.title', { count: questions.length })}
      aside={
        <>
          {questions.length > 1 ? (
            <span className="shrink-0 text-sm text-ink-faint tabular-nums">
              {t('question.answered', { done: answered.length - skipped.length, of: questions.length })}
              {skipped.length > 0 ? ` · ${t('question.skippedCount', { count: skipped.length })}` : ''}
            </span>
          ) : undefined}
          <Button
            size="sm"
            kind="quiet"
            icon={<Square className="size-3 fill-current" />}
            aria-label={t('question.stop')}
            disabled={isSending}
            onClick={answering.stop}
            className="-me-1"
          >
            {t('action.stop')}
          </Button>
        </>
      }
      issue={answering.issue}
      keys={{ [ALLOW_KEYS]: menu && !hasReply ? undefined : submit }}
      footer={
        <Footer
          answering={answering}
          questions={questions.length}
          isStoring={attaching.isStoring}
          onFiles={attaching.isPossible ? attaching.add : undefined}
        />
      }
    >
      <QuestionBody questions={questions} />
      {menu ? (
        <fieldset className="min-w-0">
          <legend className="mb-2 text-sm font-medium whitespace-pre-wrap text-ink wrap-anywhere">
            {toShownProse(menu.prompt)}
          </legend>
          <div className="flex flex-wrap gap-2">
            {menu.options?.map((option) => (
              <Button key={option} disabled={isSending} onClick={() => answering.send({ [menu.id]: option })}>
                {toShownProse(option)}
              </Button>
            ))}
          </div>
        </fieldset>
      ) : (
        <form
          className="flex flex-col gap-4"
          onFocus={({ target }) =>
            attaching.setTarget(target.closest<HTMLElement>('[data-question]')?.dataset.question)
          }
          onPaste={attaching.onPaste}
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
                issue={
                  answering.isTried && !hasReply && missing.includes(question)
                    ? t('question.isMissing')
                    : undefined
                }
                isDisabled={isSending}
                onChange={(value) => answering.change({ ...answers, [question.id]: value })}
                onSubmit={submit}
              />
            ))}
          </ServerFrame>
        </form>
      )}
      <AttachmentList attachments={attaching.attachments} onRemove={attaching.remove} className="pt-3" />
    </Dock>
  );
  return attaching.isPossible ? <DropZone drop={drop}>{dock}</DropZone> : dock;
}

type Answering = ReturnType<typeof useAnswering>;

function useAnswering({ runId, item, onAnswer, onStop }: QuestionDockProps) {
  const { questions, callId } = item;
  const { forget, ...draft } = useDraftAnswers(`${runId} ${item.seq}`, () =>
    Object.fromEntries(questions.map((question) => [question.id, firstAnswer(question)])),
  );
  const [reply, setReply] = useState('');
  const [isReplying, setReplying] = useState(false);
  const [isTried, setTried] = useState(false);
  const sending = useSentOnce();
  const open = questions.filter((question) => !isAnswered(question, draft.answers[question.id]));
  const missing = open.filter((question) => !isOptional(question));
  const answered = questions.filter((question) => !open.includes(question));
  const skipped = answered.filter(({ id }) => draft.answers[id] === SKIPPED);
  const menu = findMenu(questions);
  const hasReply = isReplying && reply.trim() !== '';
  const sent = toSent(draft.answers);
  const skipExcept = (kept: readonly Question[]): Answers =>
    Object.fromEntries(questions.map((one) => [one.id, kept.includes(one) ? sent[one.id] : SKIPPED]));
  /** The reply is for all questions without an answer of their own. A server knows only answers to each. */
  const withReply = (text: string): Answers => {
    if (questions.length > 1 && !questions.some(({ source }) => source))
      return { ...Object.fromEntries(answered.map(({ id }) => [id, sent[id]])), [FOR_ALL]: text };
    const target = open[0] ?? questions[0];
    return {
      ...skipExcept(answered),
      ...(target && { [target.id]: target.type === 'multi' ? [text] : text }),
    };
  };
  const send = (all: Answers): void => sending.send(() => onAnswer(callId, all).then(forget));
  return {
    ...draft,
    ...sending,
    ...{ open, missing, answered, skipped, menu, isTried, isReplying, hasReply, reply, setReply, send },
    // A single question has a field for any text: its own, or that of "Other…". A form has none.
    toggleReply:
      questions.length > 1 || questions[0]?.type === 'form' || menu
        ? () => setReplying(!isReplying)
        : undefined,
    openReply: (change: (text: string) => string): void => {
      setReplying(true);
      setReply(change);
    },
    submit: (): void => {
      setTried(true);
      const left = Object.fromEntries(open.map(({ id }) => [id, SKIPPED]));
      const all = hasReply ? withReply(reply.trim()) : missing.length === 0 ? { ...sent, ...left } : sent;
      const isComplete = hasReply || missing.length === 0;
      if (isComplete && findAnswerIssue(questions, all) === undefined) send(all);
    },
    skipRest: (): void => send(skipExcept(answered)),
    stop: (): void => sending.send(() => onStop(callId).then(forget)),
  };
}

/** One choice below a text, with few enough options to see at a glance: one click answers. */
function findMenu(questions: readonly Question[]): Question | undefined {
  const [only, ...others] = questions;
  const isMenu = others.length === 0 && only?.type === 'choice' && bodyOf(questions) !== undefined;
  return isMenu && (only.options ?? []).length <= MAX_BUTTONS ? only : undefined;
}

const MAX_BUTTONS = 9;

/** An own answer that is empty is dropped. */
function toSent(answers: Answers): Answers {
  return Object.fromEntries(
    Object.entries(answers).map(([id, value]) => [
      id,
      Array.isArray(value) ? value.filter((chosen) => chosen !== '') : value,
    ]),
  );
}

interface FooterProps {
  readonly answering: Answering;
  readonly questions: number;
  /** A file that is being stored is mentioned in an answer. */
  readonly isStoring: boolean;
  /** Undefined where nothing can be attached. */
  readonly onFiles: ((files: readonly File[]) => void) | undefined;
}

function Footer({ answering, questions, isStoring, onFiles }: FooterProps) {
  const { open, answered, menu, isReplying, hasReply, isSending, toggleReply, submit } = answering;
  const { t } = useTranslation();
  const skipLabel = answered.length === 0 ? 'question.skipAll' : 'question.skipRest';
  const canSend = !menu || isReplying;
  return (
    <>
      {isReplying ? (
        <div className="min-w-48 grow basis-full">
          <Textarea
            // The person just opened it.
            autoFocus
            aria-label={t('question.reply')}
            placeholder={t(menu ? 'question.own' : 'question.replyHint')}
            value={answering.reply}
            disabled={isSending}
            maxRows={3}
            onChange={(event) => answering.setReply(event.target.value)}
            onEnter={submit}
          />
        </div>
      ) : undefined}
      {/* The first one for the keyboard is the last one to see. */}
      {canSend ? (
        <Button
          kind="primary"
          isBusy={isSending}
          disabled={isStoring}
          aria-keyshortcuts={toAriaKeys(ALLOW_KEYS)}
          onClick={submit}
          className="order-last"
        >
          {t(hasReply ? 'question.sendReply' : 'question.send')}
          <Kbd keys={ALLOW_KEYS} isOnButton />
        </Button>
      ) : undefined}
      {onFiles ? (
        <span className={classNames('-ms-2 flex', toggleReply ? '' : 'me-auto')}>
          <AttachButton onFiles={onFiles} />
        </span>
      ) : undefined}
      {toggleReply ? (
        <Button
          kind="quiet"
          aria-expanded={isReplying}
          disabled={isSending}
          onClick={toggleReply}
          className={classNames('me-auto px-2', !onFiles && '-ms-2')}
        >
          {t(isReplying ? (menu ? 'question.noOwn' : 'question.noReply') : 'question.reply')}
        </Button>
      ) : undefined}
      {hasReply || open.length === 0 ? undefined : (
        <Button kind="quiet" disabled={isSending} onClick={answering.skipRest}>
          {t(questions === 1 ? 'question.skip' : skipLabel)}
        </Button>
      )}
    </>
  );
}

/**
 * Draft answers of a question, stored for this tab: they survive a reload and switching screens. `forget` them when they were
 * accepted.
 */
function useDraftAnswers(name: string, first: () => Answers) {
  const key = `crewagent.answers.${name}`;
  const [answers, setAnswers] = useState(() => ({ ...first(), ...readSnapshot(key) }));
  return {
    answers,
    change: (next: Answers): void => {
      setAnswers(next);
      store(key, next);
    },
    forget: (): void => store(key, undefined),
  };
}

function readSnapshot(key: string): Answers {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? '{}');
    return isObject(stored) ? stored : {};
  } catch {
    return {};
  }
}

/** Storage may be forbidden or full; then drafts are not stored. */
function store(key: string, answers: Answers | undefined): void {
  try {
    if (answers === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(answers));
  } catch {
    // The answers are still in memory.
  }
}
