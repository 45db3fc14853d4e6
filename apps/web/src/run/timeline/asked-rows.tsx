/** What a person was asked and said, as it stands in the story. While it is open, the dock below asks for it. */
import type { ItemOf } from '@crewagent/protocol/timeline';
import { CircleHelp, ShieldCheck, ShieldX } from 'lucide-react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { DiffStat } from '../../ui/diff-stat.tsx';
import { DiffView } from '../../ui/diff-view.tsx';
import { Fold } from '../../ui/fold.tsx';
import { toShownLine, toShownProse } from '../../ui/foreign-text.ts';
import { parseDiff } from '../../ui/parse-diff.ts';
import { useOpenRows } from './open-rows.ts';
import { QuietRow } from './quiet-row.tsx';

export function QuestionRow({ item }: { readonly item: ItemOf<'question'> }) {
  const { t } = useTranslation();
  const { answers } = item;
  if (!answers) {
    return (
      <QuietRow icon={<CircleHelp aria-hidden="true" />}>
        {t('question.isOpen', { count: item.questions.length })}
      </QuietRow>
    );
  }
  return (
    <dl className="my-2 flex flex-col gap-2.5 rounded-lg border px-3.5 py-3">
      {item.questions.map((question) => (
        <div key={question.id}>
          <dt className="text-ink-faint wrap-anywhere">{toShownProse(question.prompt)}</dt>
          <dd className="mt-0.5 text-md whitespace-pre-wrap text-ink wrap-anywhere">
            <Answer value={answers[question.id]} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Answer({ value }: { readonly value: unknown }) {
  const { t } = useTranslation();
  if (typeof value === 'boolean') return value ? t('action.yes') : t('action.no');
  if (typeof value === 'string') return value === '' ? t('question.empty') : toShownProse(value);
  if (Array.isArray(value)) return value.length === 0 ? t('question.empty') : toShownProse(value.join(', '));
  return <code className="font-mono text-sm">{toShownProse(JSON.stringify(value, null, 2) ?? '')}</code>;
}

export function ApprovalRow({
  rowKey,
  item,
}: {
  readonly rowKey: string;
  readonly item: ItemOf<'approval'>;
}) {
  const { t } = useTranslation();
  const { isOpen, toggle } = useOpenRows();
  const diff = parseDiff(item.diff);
  const isNo = item.decision === 'no';
  return (
    <div className="-ms-1.5 py-0.5">
      <Fold
        isOpen={isOpen(rowKey)}
        onToggle={() => toggle(rowKey)}
        summary={
          <>
            {isNo ? (
              <ShieldX aria-hidden="true" className="size-3.5 shrink-0 text-bad" />
            ) : (
              <ShieldCheck aria-hidden="true" className="size-3.5 shrink-0 text-ink-faint" />
            )}
            <span className="shrink-0">
              {item.decision === undefined ? t('approval.isOpen') : t(`approval.said.${item.decision}`)}
            </span>
            <bdi className="min-w-0 truncate font-mono text-sm">
              {toShownLine(item.path).replace(/^@project\//, '')}
            </bdi>
            <span className="ms-auto ps-2">
              <DiffStat diff={diff} />
            </span>
          </>
        }
      >
        {() => <DiffView diff={diff} label={t('diff.label')} />}
      </Fold>
      {item.note ? (
        <p className="ps-6.5 text-ink-soft wrap-anywhere">{toShownProse(item.note)}</p>
      ) : undefined}
    </div>
  );
}
