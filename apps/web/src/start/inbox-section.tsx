/** Works of all projects that wait for the user, live. Renders nothing if there are none. */
import { Inbox } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { useProjects } from '../api/queries.ts';
import { useWork } from '../api/work-context.tsx';
import { useWorkPages } from '../api/work-pages.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import RewindDialog from '../run/undo/rewind-dialog.tsx';
import { askingCount } from '../state/work-list.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { useArrowKeys } from '../ui/rows.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { useAction } from '../ui/use-action.ts';
import { type BesideTheList, InboxItem, type Rewinding, useNextSteps } from './inbox-item.tsx';
import { toWaitingWork, waitingCount } from './waiting-work.ts';

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

function InboxList(beside: BesideTheList) {
  const { t } = useTranslation();
  const { list } = useWork();
  const { data: projects = [] } = useProjects();
  const [showsAll, setAll] = useState(false);
  const { list: rows, onKeyDown } = useArrowKeys<HTMLUListElement>();
  const known = list ? toWaitingWork(list) : [];
  const count = list ? waitingCount(list) : 0;
  const pages = useWorkPages({ list: 'inbox' }, { isWanted: count > known.length });
  const waiting = known.filter(({ work }) => pages.covers(work));
  // As on the rail: what was stopped or interrupted is listed, and asks nothing.
  const asking = list ? askingCount(list) : 0;
  if (count === 0) return undefined;
  const names = new Map(projects.map(({ projectId, name }) => [projectId, toShownLine(name)]));
  return (
    <section aria-labelledby="inbox" className="rounded-xl border bg-surface">
      <h2 id="inbox" className="flex items-center gap-2 border-b px-4 py-3 text-lg font-semibold">
        <Inbox className="size-[18px] text-warn" />
        {t('inbox.title')}
        {asking > 0 ? (
          <span className="text-base font-normal text-ink-faint tabular-nums">{asking}</span>
        ) : undefined}
      </h2>
      <ul ref={rows} onKeyDown={onKeyDown} aria-label={t('inbox.title')} className="divide-y divide-line">
        {waiting.slice(0, showsAll ? undefined : INITIAL_COUNT).map((one, index) => (
          <InboxItem
            key={one.work.workId}
            waiting={one}
            projectName={names.get(one.work.projectId)}
            isFirst={index === 0}
            {...beside}
          />
        ))}
      </ul>
      {pages.hasMore && (showsAll || waiting.length < INITIAL_COUNT) ? (
        <div ref={pages.end} className="px-4 py-3">
          {pages.issue ? <ErrorNote issue={pages.issue} /> : <Skeleton className="h-12" />}
        </div>
      ) : undefined}
      {count > INITIAL_COUNT && !showsAll ? (
        <div className="border-t px-3 py-2">
          <Button size="sm" kind="quiet" onClick={() => setAll(true)}>
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
