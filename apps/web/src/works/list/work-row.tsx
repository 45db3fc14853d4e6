/** A Work in the list: title, kind, status and time of the last event. */
import { Archive, MoreHorizontal, PencilLine, Play, Trash2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { mustBeAccepted } from '../../api/create-work-api.ts';
import { formatWhen } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { openInFront } from '../../navigation/open-in-front.ts';
import { navigate } from '../../navigation/router.ts';
import { IconButton } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { AlertDialog } from '../../ui/overlays/alert-dialog.tsx';
import { Menu, type MenuItem } from '../../ui/overlays/menu.tsx';
import { useToasts } from '../../ui/overlays/toast-store.ts';
import { PhasePill } from '../../ui/phase-pill.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { useAction } from '../../ui/use-action.ts';
import { RenameDialog } from './rename-dialog.tsx';
import type { ListedWork } from './to-works.ts';

interface WorkRowProps {
  readonly listed: ListedWork;
  readonly projectId: string;
  readonly isOpen: boolean;
}

export function WorkRow({ listed, projectId, isOpen }: WorkRowProps) {
  const { t } = useTranslation();
  const client = useApi();
  const [asks, setAsks] = useState<'rename' | 'remove'>();
  const { work, kind, phase, isArchived, leftRuns } = listed;
  const { workId } = work;
  const title = toShownLine(listed.title);
  const archive = useAction(async (isPutAway: boolean) => {
    await client.works.change({ workId, body: { isArchived: isPutAway } });
    useToasts.getState().show(t(isPutAway ? 'works.wasArchived' : 'works.wasRestored', { title }));
  });
  const remove = useAction(async () => {
    setAsks(undefined);
    await client.works.remove({ workId });
    if (isOpen) navigate({ name: 'project', projectId });
  });
  const open = (): void => openInFront({ name: 'work', projectId, workId });
  const resume = useAction(async (runId: string) => {
    mustBeAccepted(await client.works.resume({ workId, body: { runId } }));
    open();
  });
  const items = useRowItems(listed, { onAsk: setAsks, onArchive: archive.run, onResume: resume.run });
  return (
    <li className={classNames('rounded-md', isOpen ? 'bg-pressed' : 'hover:bg-hover')}>
      <div className="flex items-center gap-1 pe-1">
        <button
          type="button"
          data-list-item
          aria-current={isOpen ? 'page' : undefined}
          onClick={open}
          className="min-w-0 grow rounded-md px-2 py-1.5 text-start -outline-offset-2"
        >
          <span className="block truncate font-medium">{title}</span>
          {/* One line high: what does not fit next to the status, first the kind, then the time, wraps out of view. */}
          <span className={classNames(LINE, 'mt-0.5 text-xs text-ink-soft')}>
            <span className={classNames(LINE, 'min-w-min grow basis-0')}>
              {phase === 'Ready' ? undefined : <PhasePill phase={phase} />}
              {leftRuns.length > 0 ? (
                <span className="whitespace-nowrap text-warn">
                  {t('works.leftRuns', { count: leftRuns.length })}
                </span>
              ) : undefined}
              <span className="min-w-0 truncate">{t(`works.kinds.${kind}`)}</span>
            </span>
            <span className="whitespace-nowrap tabular-nums">
              {isArchived ? t('works.isArchived') : formatWhen(work.updatedAt)}
            </span>
          </span>
        </button>
        <Menu
          label={t('action.moreOf', { title })}
          trigger={
            <IconButton
              label={t('action.moreOf', { title })}
              size="sm"
              hasTooltip={false}
              data-list-action=""
            >
              <MoreHorizontal aria-hidden="true" />
            </IconButton>
          }
          items={items}
        />
      </div>
      <ErrorNote issue={archive.issue ?? remove.issue ?? resume.issue} />
      {asks === 'rename' ? (
        <RenameDialog work={work} shownTitle={title} onClose={() => setAsks(undefined)} />
      ) : undefined}
      <AlertDialog
        isOpen={asks === 'remove'}
        title={t('works.removeTitle', { title })}
        confirmLabel={t('action.delete')}
        onCancel={() => setAsks(undefined)}
        onConfirm={() => remove.run()}
      >
        {t(work.run ? 'works.removeRunText' : 'works.removeText')}
      </AlertDialog>
    </li>
  );
}

const LINE = 'flex h-5 flex-wrap items-center gap-x-1.5 overflow-hidden leading-5';

interface RowActions {
  readonly onAsk: (what: 'rename' | 'remove') => void;
  readonly onArchive: (isArchived: boolean) => void;
  readonly onResume: (runId: string) => void;
}

const MAX_RUNS = 8;

/** A run has the title of its workflow and cannot be archived: only conversations have these items. */
function useRowItems(
  { work, isArchived, leftRuns }: ListedWork,
  { onAsk, onArchive, onResume }: RowActions,
): MenuItem[] {
  const { t } = useTranslation();
  const ofRuns = leftRuns.slice(0, MAX_RUNS).map(
    (run): MenuItem => ({
      id: run.workId,
      label: t('works.resumeRun', { title: toShownLine(run.title), when: formatWhen(run.updatedAt) }),
      icon: <Play aria-hidden="true" />,
      onChoose: () => onResume(run.workId),
    }),
  );
  const ofConversation: MenuItem[] = [
    {
      id: 'rename',
      label: t('action.rename'),
      icon: <PencilLine aria-hidden="true" />,
      onChoose: () => onAsk('rename'),
    },
    {
      id: 'archive',
      label: t(isArchived ? 'works.restore' : 'works.archive'),
      icon: isArchived ? <Undo2 aria-hidden="true" /> : <Archive aria-hidden="true" />,
      onChoose: () => onArchive(!isArchived),
    },
    'separator',
  ];
  return [
    ...ofRuns,
    ...(ofRuns.length > 0 ? (['separator'] as const) : []),
    ...(work.run ? [] : ofConversation),
    {
      id: 'remove',
      label: t('action.delete'),
      icon: <Trash2 aria-hidden="true" />,
      isDanger: true,
      onChoose: () => onAsk('remove'),
    },
  ];
}
