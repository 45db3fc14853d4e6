/** Works of all projects that wait for the user, live. Renders nothing if there are none. */
import { needsAttention } from '@crewagent/protocol/work-position';
import { CirclePause, Inbox } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { useProjects } from '../api/queries.ts';
import { useWork } from '../api/work-context.tsx';
import { useWorkPages } from '../api/work-pages.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import RewindDialog from '../run/undo/rewind-dialog.tsx';
import { attentionCount } from '../state/work-list.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { useArrowKeys } from '../ui/rows.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { useAction } from '../ui/use-action.ts';
import { useStartingExample } from './example-start.tsx';
import { type BesideTheList, InboxItem, type Rewinding, useNextSteps } from './inbox-item.tsx';
import { toWaitingWork, type WaitingWork, waitingCount } from './waiting-work.ts';

const INITIAL_COUNT = 4;

export function InboxSection() {
  const { t } = useTranslation();
  const client = useApi();
  const [rewinding, setRewinding] = useState<Rewinding>();
  const bringBack = useAction((workId: string) =>
    client.works.change({ workId, body: { isArchived: false } }),
  );
  return (
    <>
      <ErrorNote
        issue={bringBack.issue}
        title={t('inbox.notBroughtBack')}
        advice={t('inbox.notBroughtBackAdvice')}
      />
      <InboxList onRewind={setRewinding} onBringBack={bringBack.run} />
      {rewinding ? <InboxRewind rewinding={rewinding} onClose={() => setRewinding(undefined)} /> : undefined}
    </>
  );
}

/** The list as it was when the example was started. */
function useSteadyList() {
  const { list } = useWork();
  const { isStarting } = useStartingExample();
  const shown = useRef(list);
  if (!isStarting) shown.current = list;
  return shown.current;
}

/** What needs attention, then what was stopped and can be resumed. */
function InboxList(beside: BesideTheList) {
  const { t } = useTranslation();
  const list = useSteadyList();
  const known = list ? toWaitingWork(list) : [];
  const count = list ? waitingCount(list) : 0;
  const pages = useWorkPages({ list: 'inbox' }, { isWanted: count > known.length });
  const waiting = known.filter(({ work }) => pages.covers(work));
  // The same number as on the rail.
  const urgent = list ? attentionCount(list) : 0;
  const [showsAll, setAll] = useState(false);
  const isUrgent = ({ work }: WaitingWork): boolean => work.parentId === undefined && needsAttention(work);
  const shared = { showsAll, onShowAll: () => setAll(true), beside };
  return (
    <>
      <InboxGroup
        id="inbox"
        title={t('inbox.title')}
        icon={<Inbox className="size-[18px] text-warn" />}
        count={urgent}
        waiting={waiting.filter(isUrgent)}
        {...shared}
        hasFirst
      />
      <InboxGroup
        id="inbox-stopped"
        title={t('inbox.stopped')}
        icon={<CirclePause className="size-[18px] text-ink-faint" />}
        count={count - urgent}
        waiting={waiting.filter((one) => !isUrgent(one))}
        {...shared}
        hasFirst={urgent === 0}
      />
      {pages.hasMore && (showsAll || waiting.length < INITIAL_COUNT) ? (
        <div ref={pages.end}>
          {pages.issue ? <ErrorNote issue={pages.issue} /> : <Skeleton className="h-12" />}
        </div>
      ) : undefined}
    </>
  );
}

interface InboxGroupProps {
  readonly id: string;
  readonly title: string;
  readonly icon: ReactNode;
  /** Of all of them; not all may be loaded. */
  readonly count: number;
  readonly waiting: readonly WaitingWork[];
  readonly showsAll: boolean;
  readonly onShowAll: () => void;
  readonly beside: BesideTheList;
  /** The next one to handle is in this group. */
  readonly hasFirst: boolean;
}

function InboxGroup(props: InboxGroupProps) {
  const { id, title, icon, count, waiting, showsAll, onShowAll, beside, hasFirst } = props;
  const { t } = useTranslation();
  const { data: projects = [] } = useProjects();
  const { list: rows, onKeyDown } = useArrowKeys<HTMLUListElement>();
  if (count === 0) return undefined;
  const names = new Map(projects.map(({ projectId, name }) => [projectId, toShownLine(name)]));
  return (
    <section aria-labelledby={id} className="rounded-xl border bg-surface">
      <h2 id={id} className="flex items-center gap-2 border-b px-4 py-3 text-lg font-semibold">
        {icon}
        {title}
        <span className="text-base font-normal text-ink-faint tabular-nums">{count}</span>
      </h2>
      <ul ref={rows} onKeyDown={onKeyDown} aria-label={title} className="divide-y divide-line">
        {waiting.slice(0, showsAll ? undefined : INITIAL_COUNT).map((one, index) => (
          <InboxItem
            key={one.work.workId}
            waiting={one}
            projectName={names.get(one.work.projectId)}
            isFirst={hasFirst && index === 0}
            {...beside}
          />
        ))}
      </ul>
      {count > INITIAL_COUNT && !showsAll ? (
        <div className="border-t px-3 py-2">
          <Button size="sm" kind="quiet" className="-ms-1" onClick={onShowAll}>
            {t('inbox.showAll', { count })}
          </Button>
        </div>
      ) : undefined}
    </section>
  );
}

interface InboxRewindProps {
  readonly rewinding: Rewinding;
  readonly onClose: () => void;
}

/** Rewinds a waiting Work. The Work leaves the inbox then, so the dialog is mounted next to the list and outlives the entry. */
function InboxRewind({ rewinding: { work, ...rewind }, onClose }: InboxRewindProps) {
  const { open, continueRun } = useNextSteps(work);
  return <RewindDialog {...rewind} onResume={continueRun} onClose={onClose} onOpen={open} />;
}
