/** A Work that waits for the user: where it stopped, why, and all possible actions. */
import type { WorkSummary } from '@crewagent/protocol/api/work-messages';
import type { StopPosition } from '@crewagent/protocol/api/works';
import { toStatus } from '@crewagent/protocol/status';
import { joinSentences } from '@crewagent/protocol/texts/texts';
import type { WorkPosition } from '@crewagent/protocol/work-position';
import { useState } from 'react';
import { FOREVER, useApi, useApiQuery } from '../api/api-context.tsx';
import { mustBeAccepted } from '../api/create-work-api.ts';
import { formatWhen } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { openInFront } from '../navigation/open-in-front.ts';
import { toShownPath } from '../run/shown-names.ts';
import type { RewindDialogProps } from '../run/undo/rewind-dialog.tsx';
import { askedOf, shownPhase } from '../state/work-list.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { useProblemTexts } from '../ui/errors/error-texts.ts';
import { AlertDialog } from '../ui/overlays/alert-dialog.tsx';
import { type MenuList, MoreMenu } from '../ui/overlays/menu.tsx';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { PhasePill } from '../ui/phase-pill.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useAction } from '../ui/use-action.ts';
import { useTitleOf } from '../works/use-title-of.ts';
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
  const { path, prompt } = askedOf(work);
  const isResumable = toStatus(work).canResume;
  const kind = isFirst ? 'primary' : 'plain';
  const items: MenuList = [
    stop !== undefined && { id: 'redo', label: t('control.redo'), onChoose: () => rewind.run('redo') },
    stop?.canGoBack === true && {
      id: 'back',
      label: t('control.goBack'),
      onChoose: () => rewind.run('back'),
    },
    'separator',
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
              stop && (path ?? prompt) !== undefined ? toShownLine(stop.title) : undefined,
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
          <MoreMenu data-list-action label={t('action.moreOf', { title })} size="sm" items={items} />
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
  const { workId = '', updatedAt } = run ?? {};
  return useApiQuery(
    ['stopping-place', workId, updatedAt],
    ({ works }, call) => works.position({ workId }, call),
    { ...FOREVER, enabled: run !== undefined },
  ).data?.position;
}

/** With the view at the time of the request. */
export interface Rewinding extends Pick<RewindDialogProps, 'kind' | 'view'> {
  readonly work: WorkSummary;
}

/** Operations that continue after the entry is gone. */
export interface BesideTheList {
  readonly onRewind: (rewinding: Rewinding) => void;
  readonly onBringBack: (workId: string) => void;
}

/** Actions for a waiting Work. Files it wrote stay, unless the user decides otherwise. */
function useInboxActions({ work, run }: WaitingWork, { onRewind, onBringBack }: BesideTheList) {
  const { t } = useTranslation();
  const client = useApi();
  const { show } = useToasts.getState();
  const { open, continueRun } = useNextSteps(work);
  const resume = useAction(async () => {
    await continueRun();
    show(t('inbox.goesOn'), { label: t('action.open'), onChoose: open });
  });
  const rewind = useAction(async (kind: Rewinding['kind']) => {
    if (!run) return;
    const { view } = await client.works.show({ workId: run.workId });
    onRewind({ work, kind, view });
  });
  const abandon = useAction(async () => {
    const { workId } = work;
    if (work.run) {
      await client.works.remove({ workId });
      show(t('inbox.removed'));
      return;
    }
    await client.works.change({ workId, body: { isArchived: true } });
    show(t('inbox.archived'), { label: t('action.undo'), onChoose: () => onBringBack(workId) });
  });
  return { open, resume, rewind, abandon };
}

/** Opens a waiting Work, or resumes it without a message. A left run is resumed in its conversation. */
export function useNextSteps({ projectId, workId, parentId }: WorkSummary) {
  const client = useApi();
  const target =
    parentId === undefined ? { workId, body: {} } : { workId: parentId, body: { runId: workId } };
  return {
    open: (): void => openInFront({ name: 'work', projectId, workId: target.workId }),
    continueRun: async (): Promise<void> => mustBeAccepted(await client.works.resume(target)),
  };
}

/** Why a Work waits, in one sentence: its question, or where it stopped and how many files it had written. */
function useWhyItWaits(
  standing: Pick<WorkPosition, 'phase' | 'reason'>,
  stop: StopPosition | undefined,
): string {
  const { t } = useTranslation();
  const { reason } = standing;
  const { kind } = toStatus(standing);
  const problem = useProblemTexts({ code: reason?.code ?? '', details: reason?.details });
  const where = stop
    ? t('inbox.where', {
        at: t('inbox.at', { step: toShownLine(stop.title) }),
        files: stop.files === 0 ? t('inbox.noFiles') : t('inbox.files', { count: stop.files }),
      })
    : undefined;
  const { path, prompt } = askedOf(standing);
  if (prompt !== undefined) return t('inbox.asks', { question: toShownLine(prompt) });
  if (path !== undefined) return t('inbox.wantsToChange', { path: toShownPath(path) });
  if (kind === 'question' || kind === 'approval') return t('inbox.needsAnswer');
  if (kind === 'reply')
    return stop ? t('inbox.needsWordAt', { step: toShownLine(stop.title) }) : t('inbox.needsWord');
  if (kind === 'interrupted') return where ?? t('inbox.cutOff');
  // Both would say that it stopped.
  if (kind === 'stopped' && where !== undefined) return where;
  const what = problem.isKnown ? problem.title : toShownLine(reason?.message ?? '');
  return joinSentences(what, where);
}
