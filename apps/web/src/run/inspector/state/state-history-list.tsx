/** Changes of the state document, most recent first: time, author and diff. */
import type { RunView } from '@crewagent/protocol/run-view';
import { useState } from 'react';
import { useStateHistory } from '../../../api/inspector-queries.ts';
import { formatDateTime, formatWhen } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import type { StateChange } from '../../../state/state-history.ts';
import { DiffView } from '../../../ui/code/diff-view.tsx';
import { parseDiff } from '../../../ui/code/parse-diff.ts';
import { ErrorNote } from '../../../ui/errors/error-note.tsx';
import { Fold } from '../../../ui/fold.tsx';
import { toShownLine, toShownText } from '../../../ui/sanitize-text.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';

interface StateHistoryListProps {
  readonly view: Readonly<RunView>;
}

const INITIAL_COUNT = 50;

export function StateHistoryList({ view }: StateHistoryListProps) {
  const { t } = useTranslation();
  const { data, error } = useStateHistory(view.runId);
  const [shown, setShown] = useState(INITIAL_COUNT);
  if (error) return <ErrorNote issue={error} />;
  if (!data) return <Skeleton className="h-16" />;
  const changes = data.changes.toReversed();
  if (changes.length === 0) return <p className="text-ink-faint">{t('state.noHistory')}</p>;
  const titleOf = (id: string): string => toShownLine(view.nodes.find((node) => node.id === id)?.title ?? id);
  return (
    <>
      <ol aria-label={t('state.history')} className="-ms-5 flex flex-col gap-0.5">
        {changes.slice(0, shown).map((change) => (
          <li key={change.seq}>
            <ChangeRow change={change} titleOf={titleOf} />
          </li>
        ))}
      </ol>
      {changes.length > shown ? (
        <button
          type="button"
          className="mt-1 rounded-sm text-sm text-accent-text"
          onClick={() => setShown(changes.length)}
        >
          {t('text.showAll')}
        </button>
      ) : undefined}
    </>
  );
}

interface ChangeRowProps {
  readonly change: StateChange;
  readonly titleOf: (nodeId: string) => string;
}

function ChangeRow({ change, titleOf }: ChangeRowProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const { ts, by, from, to, label, values, notes, diff } = change;
  const isMove = from !== to;
  return (
    <Fold
      isOpen={isOpen}
      onToggle={() => setOpen(!isOpen)}
      summary={
        <span className="flex min-w-0 grow flex-wrap items-baseline gap-x-2">
          <span className="min-w-0 font-medium text-ink wrap-anywhere">
            {isMove ? `${titleOf(from)} → ${titleOf(to)}` : t('state.values', { count: values })}
          </span>
          {label ? <span className="text-xs text-ink-faint">{toShownLine(label)}</span> : undefined}
          <span className="ms-auto text-xs text-ink-faint">
            {t(`state.by.${by}`)} ·{' '}
            <time dateTime={ts} title={formatDateTime(ts)}>
              {formatWhen(ts)}
            </time>
          </span>
        </span>
      }
    >
      {() => (
        <div className="-ms-3 flex flex-col gap-1.5">
          {diff === undefined || diff === '' ? (
            <p className="text-sm text-ink-faint">{t('state.noDiff')}</p>
          ) : (
            <DiffView diff={parseDiff(diff)} label={t('diff.label')} />
          )}
          {notes.map((note) => (
            <p key={note} className="text-sm text-ink-faint wrap-anywhere">
              {toShownText(note)}
            </p>
          ))}
        </div>
      )}
    </Fold>
  );
}
