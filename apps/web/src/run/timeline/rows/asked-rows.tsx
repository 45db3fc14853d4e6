/**
 * Questions and answers in the timeline. An open one is asked by the dock, where there is one: not in the past, nor for
 * somebody who may only look.
 */
import { toAnswerText } from '@crewagent/protocol/answer-text';
import { forAllOf, SKIPPED } from '@crewagent/protocol/answers';
import type { ItemOf } from '@crewagent/protocol/story/items';
import type { Question } from '@crewagent/protocol/tools';
import { CircleHelp, ShieldCheck, ShieldX } from 'lucide-react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { toShownProse } from '../../../ui/sanitize-text.ts';
import { toDecisionLabel } from '../../approval-reach.ts';
import { QuestionBody, ServerFrame, toPrompt } from '../../docks/question-body.tsx';
import { useIsReadOnly } from '../../past.ts';
import { toShownPath } from '../../shown-names.ts';
import { QuietRow } from './event-row.tsx';

export function QuestionRow({ item }: { readonly item: ItemOf<'question'> }) {
  const { t } = useTranslation();
  const isReadOnly = useIsReadOnly();
  const { answers } = item;
  if (!answers) {
    return isReadOnly ? (
      <div className="my-2 flex flex-col gap-2.5 rounded-lg border px-3.5 py-3">
        <QuietRow icon={<CircleHelp aria-hidden="true" />}>
          {t('question.isOpen', { count: item.questions.length })}
        </QuietRow>
        <QuestionBody questions={item.questions} isPast />
        {item.questions.map((question) => (
          <p key={question.id} className="text-md text-ink wrap-anywhere">
            {toPrompt(question)}
          </p>
        ))}
      </div>
    ) : undefined;
  }
  const forAll = forAllOf(answers);
  const isOfServer = item.questions.some(({ source }) => source);
  const list = (
    <dl className="flex flex-col gap-2.5">
      {item.questions.map((question) => (
        <div key={question.id}>
          <dt className="text-ink-faint wrap-anywhere">{toPrompt(question)}</dt>
          {Object.hasOwn(answers, question.id) || forAll === undefined ? (
            <dd className="mt-0.5 text-md whitespace-pre-wrap text-ink wrap-anywhere">
              <Answer question={question} value={answers[question.id]} />
            </dd>
          ) : undefined}
        </div>
      ))}
      {forAll === undefined ? undefined : (
        <div>
          <dt className="text-ink-faint">{t('question.replyToAll')}</dt>
          <dd className="mt-0.5 text-md whitespace-pre-wrap text-ink wrap-anywhere">
            {toShownProse(forAll)}
          </dd>
        </div>
      )}
    </dl>
  );
  return isOfServer ? (
    <div className="my-2">
      <ServerFrame questions={item.questions} isPast>
        {list}
      </ServerFrame>
    </div>
  ) : (
    <div className="my-2 flex flex-col gap-2.5 rounded-lg border px-3.5 py-3">
      <QuestionBody questions={item.questions} isPast />
      {list}
    </div>
  );
}

function Answer({ question, value }: { readonly question: Question; readonly value: unknown }) {
  const { t } = useTranslation();
  const skipped = t('question.skipped');
  if (value === SKIPPED) return <span className="text-ink-faint">{skipped}</span>;
  const words = { yes: t('action.yes'), no: t('action.no'), skipped, empty: t('question.empty') };
  return toShownProse(toAnswerText(question, value, words));
}

/** For a call that is not in the timeline; all others show their approval in their own row. */
export function ApprovalRow({ item }: { readonly item: ItemOf<'approval'> }) {
  const { t } = useTranslation();
  const { decision, action } = item;
  return (
    <QuietRow icon={decision === 'no' ? <ShieldX aria-hidden="true" /> : <ShieldCheck aria-hidden="true" />}>
      {decision === undefined ? t('approval.isOpen') : toDecisionLabel(t, action.target, item)} ·{' '}
      <bdi className="font-mono">{toShownPath(action.target)}</bdi>
    </QuietRow>
  );
}
