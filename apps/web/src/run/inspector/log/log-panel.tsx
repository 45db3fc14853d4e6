/** The tab Log of the inspector: every event as it was written, the end first, live. */
import { ScrollText, SearchX } from 'lucide-react';
import { useDeferredValue, useMemo, useState } from 'react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import type { PanelProps } from '../../../state/subject.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { FaultNote } from '../../../ui/errors/fault-note.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { isAtLeast, type LogLevel } from './describe-event.ts';
import { LogCheck } from './log-check.tsx';
import { LogFilters } from './log-filters.tsx';
import { LogList } from './log-list.tsx';
import { useLog } from './use-log.ts';

export function LogPanel({ subject, view }: PanelProps) {
  const { t } = useTranslation();
  const [level, setLevel] = useState<LogLevel>('info');
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text.trim().toLowerCase());
  const log = useLog(subject, view.lastSeq, wanted !== '');
  const { events, earlier, isLoading, fault } = log;
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
      <LogFilters
        subject={subject}
        events={shown}
        level={level}
        text={text}
        onLevel={setLevel}
        onText={setText}
      />
      <LogCheck subject={subject} phase={view.phase} />
      {fault === undefined ? undefined : (
        <div className="flex flex-col items-start gap-2 px-3 pb-2">
          <FaultNote fault={fault} />
          <Button size="sm" onClick={log.retry}>
            {t('inspector.logs.retry')}
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
              {t('inspector.showAll')}
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
