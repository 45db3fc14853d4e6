/** Log tab of the inspector: every event, live, loaded from the end. */

import { isAtLeast, type LogLevel } from '@crewagent/protocol/story/describe-event';
import { ScrollText, SearchX, ShieldAlert, ShieldCheck } from 'lucide-react';
import { useDeferredValue, useMemo, useState } from 'react';
import { useLogCheck } from '../../../api/inspector-queries.ts';
import { formatNumber } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorNote } from '../../../ui/errors/error-note.tsx';
import { Note } from '../../../ui/note.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import type { PanelProps } from '../use-inspected.ts';
import { LogFilters } from './log-filters.tsx';
import { LogList } from './log-list.tsx';
import { useLog } from './use-log.ts';

export function LogPanel({ view }: PanelProps) {
  const { t } = useTranslation();
  const [level, setLevel] = useState<LogLevel>('info');
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text.trim().toLowerCase());
  const log = useLog(view.runId, view.lastSeq, wanted !== '');
  const { events, earlier, isLoading, issue } = log;
  const shown = useMemo(
    () =>
      events.filter(
        (event) =>
          isAtLeast(event, level) && (wanted === '' || JSON.stringify(event).toLowerCase().includes(wanted)),
      ),
    [events, level, wanted],
  );
  if (view.lastSeq === 0)
    return (
      <EmptyState icon={<ScrollText />} title={t('inspector.logs.empty')}>
        {t('inspector.logs.emptyText')}
      </EmptyState>
    );
  return (
    <div className="flex h-full min-h-0 flex-col">
      <LogFilters view={view} events={shown} level={level} text={text} onLevel={setLevel} onText={setText} />
      <LogCheck view={view} />
      {issue === undefined ? undefined : (
        <div className="flex flex-col items-start gap-2 px-3 pb-2">
          <ErrorNote issue={issue} />
          <Button size="sm" onClick={log.retry}>
            {t('action.retry')}
          </Button>
        </div>
      )}
      {isLoading ? <Skeleton className="m-3 h-40" /> : undefined}
      {events.length > 0 && shown.length === 0 && (earlier === 0 || wanted !== '') ? (
        <EmptyState
          icon={<SearchX />}
          title={t('inspector.logs.none')}
          action={
            <Button
              onClick={() => {
                setText('');
                setLevel('detail');
              }}
            >
              {t('text.showAll')}
            </Button>
          }
        />
      ) : (
        <LogList
          events={shown}
          earlier={earlier}
          isPrepended={log.isPrepended}
          onLoadEarlier={log.loadEarlier}
        />
      )}
    </div>
  );
}

/** Result of the integrity check: each line contains a hash over itself and the previous line. */
function LogCheck({ view }: Pick<PanelProps, 'view'>) {
  const { t } = useTranslation();
  const { data } = useLogCheck(view.runId, view.phase);
  if (!data) return undefined;
  if (data.isIntact)
    return (
      <p className="flex shrink-0 items-center gap-1.5 px-3 pb-2 text-xs text-ink-faint">
        <ShieldCheck aria-hidden="true" className="size-3.5 text-ok" />
        {t('inspector.logs.isIntact')}
      </p>
    );
  return (
    <div className="shrink-0 px-3 pb-2">
      <Note
        level="warning"
        title={
          <span className="flex items-center gap-1.5">
            <ShieldAlert aria-hidden="true" className="size-3.5" />
            {t('inspector.logs.isBroken', { number: formatNumber(data.brokenAt ?? data.lastSeq) })}
          </span>
        }
        advice={t('inspector.logs.brokenAdvice')}
      />
    </div>
  );
}
