/** A Work that waits for the user: where it stopped, why, and all possible actions. */

import type { WorkSummary } from '@crewagent/protocol/api/work-messages';
import { toStatus } from '@crewagent/protocol/status';
import { useQuery } from '@tanstack/react-query';
import { MoreHorizontal } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { formatWhen } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { shownPhase } from '../state/work-list.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { AlertDialog } from '../ui/overlays/alert-dialog.tsx';
import { Menu, type MenuItem } from '../ui/overlays/menu.tsx';
import { PhasePill } from '../ui/phase-pill.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useTitleOf } from '../works/use-title-of.ts';
import { type StopPosition, toStopPosition } from './stop-position.ts';
import { type BesideTheList, useInboxActions } from './use-inbox-actions.ts';
import { useWhyItWaits } from './use-why-it-waits.ts';
import type { WaitingWork } from './waiting-work.ts';

interface InboxItemProps extends BesideTheList {
  readonly waiting: WaitingWork;
  readonly projectName: string | undefined;
  /** The next one to handle. */
  readonly isFirst: boolean;
}

export function InboxItem({ waiting, projectName, isFirst, ...beside }: InboxItemProps) {
  const { t } = useTranslation();
  const titleOf = useTitleOf();
  const stop = useStopPosition(waiting.run);
  const [asksToRemove, setAsksToRemove] = useState(false);
  const { open, resume, rewind, abandon } = useInboxActions(waiting, beside);
  const { work } = waiting;
  const phase = shownPhase(work);
  const why = useWhyItWaits(work, stop);
  const title = titleOf(work);
  const asksSomething = (stop?.question ?? stop?.change) !== undefined;
  const isResumable = toStatus(work).canResume;
  const kind = isFirst ? 'primary' : 'plain';
  const items: MenuItem[] = [
    ...(stop ? [{ id: 'redo', label: t('control.redo'), onChoose: () => rewind.run('redo') }] : []),
    ...(stop && stop.earlier.length > 0
      ? [{ id: 'back', label: t('control.goBack'), onChoose: () => rewind.run('back') }]
      : []),
    ...(stop ? (['separator'] as const) : []),
    {
      id: 'abandon',
      label: t('inbox.abandon'),
      isDanger: true,
      onChoose: () => (work.run ? setAsksToRemove(true) : abandon.run()),
    },
  ];
  return (
    <li data-kind={work.run ? 'run' : 'conversation'} className="flex flex-col gap-2.5 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2.5">
        <div className="min-w-56 grow basis-0">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <button
              type="button"
              data-list-item
              onClick={open}
              className="rounded-sm text-start font-medium wrap-anywhere hover:underline"
            >
              {title}
            </button>
            {/* The heading of the list already says that all of them wait. */}
            {phase === 'WaitingUser' ? undefined : <PhasePill phase={phase} />}
          </p>
          <p className="mt-0.5 line-clamp-2 text-ink-soft wrap-anywhere">{why}</p>
          <p className="mt-0.5 text-sm text-ink-faint">
            {[
              projectName,
              stop && asksSomething ? toShownLine(stop.title) : undefined,
              formatWhen(work.updatedAt),
            ]
              .filter(Boolean)
              .join(' · ')}
          </p>
        </div>
        <div className="flex flex-wrap items-center gap-1.5">
          {isResumable ? (
            <Button
              data-list-action
              size="sm"
              kind={kind}
              isBusy={resume.isBusy}
              onClick={() => resume.run()}
            >
              {t('action.resume')}
            </Button>
          ) : undefined}
          <Button data-list-action size="sm" kind={isResumable ? 'plain' : kind} onClick={open}>
            {t(isResumable ? 'action.open' : 'inbox.answer')}
          </Button>
          <Menu
            label={t('action.moreOf', { title })}
            items={items}
            trigger={
              <IconButton data-list-action label={t('action.moreOf', { title })} size="sm" hasTooltip={false}>
                <MoreHorizontal aria-hidden="true" />
              </IconButton>
            }
          />
        </div>
      </div>
      <ErrorNote issue={resume.issue ?? rewind.issue ?? abandon.issue} />
      <AlertDialog
        isOpen={asksToRemove}
        title={t('inbox.removeTitle', { title })}
        confirmLabel={t('inbox.remove')}
        onCancel={() => setAsksToRemove(false)}
        onConfirm={() => {
          setAsksToRemove(false);
          abandon.run();
        }}
      >
        {t('inbox.removeText')}
      </AlertDialog>
    </li>
  );
}

/** Where a run stopped; refetched when the run changed. */
function useStopPosition(run: WorkSummary | undefined): StopPosition | undefined {
  const client = useApi();
  const { data } = useQuery({
    queryKey: ['stopping-place', run?.workId, run?.updatedAt],
    enabled: run !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) =>
      toStopPosition((await client.works.show({ workId: run?.workId ?? '' }, { signal })).view),
  });
  return data;
}
