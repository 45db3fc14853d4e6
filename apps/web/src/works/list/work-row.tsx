/** A Work in the list: title, kind, status and time of the last event. */
import type { WorkSummary } from '@crewagent/protocol/api/work-messages';
import { Archive, PencilLine, Play, Trash2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { mustBeAccepted } from '../../api/create-work-api.ts';
import { formatWhen } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { openInFront } from '../../navigation/open-in-front.ts';
import { navigate } from '../../navigation/router.ts';
import { classNames } from '../../ui/class-names.ts';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { TextField } from '../../ui/forms/simple-fields.tsx';
import { AlertDialog } from '../../ui/overlays/alert-dialog.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { type MenuList, MoreMenu, menuItem } from '../../ui/overlays/menu.tsx';
import { useToasts } from '../../ui/overlays/toast-store.ts';
import { PhasePill } from '../../ui/phase-pill.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { useAction } from '../../ui/use-action.ts';
import type { ListedWork } from './to-works.ts';

interface WorkRowProps {
  readonly listed: ListedWork;
  readonly projectId: string;
  readonly isOpen: boolean;
  /** Whether its run is chosen for a comparison; absent while none is made, or if it has no run. */
  readonly choice?: { readonly isChosen: boolean; onChange(isChosen: boolean): void } | undefined;
}

export function WorkRow({ listed, projectId, isOpen, choice }: WorkRowProps) {
  const { t } = useTranslation();
  const client = useApi();
  const [asks, setAsks] = useState<'rename' | 'remove'>();
  const { work, kind, phase, isArchived, leftRuns } = listed;
  const { workId } = work;
  const title = toShownLine(listed.title);
  const setArchived = async (isPutAway: boolean): Promise<void> => {
    await client.works.change({ workId, body: { isArchived: isPutAway } });
    // The row leaves the list, and with it the menu that could take it back.
    useToasts.getState().show(t(isPutAway ? 'works.wasArchived' : 'works.wasRestored', { title }), {
      label: t('action.undo'),
      onChoose: () =>
        void setArchived(!isPutAway).catch(() => useToasts.getState().show(t('works.notUndone', { title }))),
    });
  };
  const archive = useAction(setArchived);
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
  const ofRuns = leftRuns.slice(0, MAX_RUNS).map((run) => {
    const label = t('works.resumeRun', { title: toShownLine(run.title), when: formatWhen(run.updatedAt) });
    return menuItem(run.workId, Play, label, () => resume.run(run.workId));
  });
  const [Icon, archiveLabel] = isArchived ? [Undo2, t('works.restore')] : [Archive, t('works.archive')];
  // A run has the title of its workflow and cannot be archived.
  const items: MenuList = [
    ...ofRuns,
    'separator',
    !work.run && menuItem('rename', PencilLine, t('action.rename'), () => setAsks('rename')),
    !work.run && menuItem('archive', Icon, archiveLabel, () => archive.run(!isArchived)),
    'separator',
    menuItem('remove', Trash2, t('action.delete'), () => setAsks('remove'), { isDanger: true }),
  ];
  return (
    <li className={classNames('rounded-md', isOpen ? 'bg-pressed' : 'hover:bg-hover')}>
      <div className="flex items-center gap-1 pe-1">
        {choice ? (
          <input
            type="checkbox"
            checked={choice.isChosen}
            onChange={({ target }) => choice.onChange(target.checked)}
            aria-label={t('works.choose', { title })}
            className="ms-2 size-4 shrink-0 accent-accent"
          />
        ) : undefined}
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
        <MoreMenu label={t('action.moreOf', { title })} size="sm" data-list-action="" items={items} />
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

const MAX_RUNS = 8;

interface RenameDialogProps {
  readonly work: WorkSummary;
  /** The derived title that is used until it has a name. */
  readonly shownTitle: string;
  readonly onClose: () => void;
}

/** Renames a conversation. */
function RenameDialog({ work: { workId, title: before }, shownTitle, onClose }: RenameDialogProps) {
  const { t } = useTranslation();
  const client = useApi();
  const [title, setTitle] = useState(before || shownTitle);
  const rename = useAction(async () => {
    await client.works.change({ workId, body: { title } });
    onClose();
  });
  return (
    <FormDialog
      title={t('action.rename')}
      submitLabel={t('action.rename')}
      submit={rename}
      canSubmit={title.trim() !== ''}
      onClose={onClose}
    >
      <TextField label={t('works.name')} value={title} maxLength={200} onChange={setTitle} />
    </FormDialog>
  );
}
