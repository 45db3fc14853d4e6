/** One work in the list: what it is called, what kind it is, where it is, when something happened last. */
import { Archive, MoreHorizontal, PencilLine, Trash2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { formatWhen } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { navigate } from '../../navigation/router.ts';
import { classNames } from '../../ui/class-names.ts';
import { FaultNote } from '../../ui/errors/fault-note.tsx';
import { toShownLine } from '../../ui/foreign-text.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { AlertDialog } from '../../ui/overlays/alert-dialog.tsx';
import { Menu, type MenuItem } from '../../ui/overlays/menu.tsx';
import { useToasts } from '../../ui/overlays/toast-store.ts';
import { PhasePill } from '../../ui/phase-pill.tsx';
import { useAction } from '../../ui/use-action.ts';
import { RenameDialog } from './rename-dialog.tsx';
import type { Work } from './to-works.ts';

interface WorkRowProps {
  readonly work: Work;
  readonly projectId: string;
  readonly isOpen: boolean;
}

export function WorkRow({ work, projectId, isOpen }: WorkRowProps) {
  const { t } = useTranslation();
  const client = useApi();
  const [asks, setAsks] = useState<'rename' | 'remove'>();
  const { id, conversation } = work;
  const title = toShownLine(work.title);
  const archive = useAction(async (isArchived: boolean) => {
    await client.conversations.change({ conversationId: id, body: { isArchived } });
    useToasts.getState().show(t(isArchived ? 'works.wasArchived' : 'works.wasRestored', { title }));
  });
  const remove = useAction(async () => {
    setAsks(undefined);
    if (conversation) await client.conversations.remove({ conversationId: id });
    else await client.runs.remove({ runId: id });
    if (isOpen) navigate({ name: 'project', projectId });
  });
  const open = (): void =>
    navigate(
      conversation
        ? { name: 'conversation', projectId, conversationId: id }
        : { name: 'run', projectId, runId: id },
    );
  const items = useRowItems(work, { onAsk: setAsks, onArchive: archive.run });
  return (
    <li className={classNames('rounded-md', isOpen ? 'bg-pressed' : 'hover:bg-hover')}>
      <div className="flex items-center gap-1 pe-1">
        <button
          type="button"
          aria-current={isOpen ? 'page' : undefined}
          onClick={open}
          className="min-w-0 grow rounded-md px-2 py-1.5 text-start -outline-offset-2"
        >
          <span className="block truncate font-medium">{title}</span>
          {/* One line high: what has no room beside the phase, first the kind, then the time, is below that, out of sight. */}
          <span className={classNames(LINE, 'mt-0.5 text-xs text-ink-soft')}>
            <span className={classNames(LINE, 'min-w-min grow basis-0')}>
              {work.phase === 'Ready' ? undefined : <PhasePill phase={work.phase} />}
              <span className="min-w-0 truncate">{t(`works.kinds.${work.kind}`)}</span>
            </span>
            <span className="whitespace-nowrap tabular-nums">
              {work.isArchived ? t('works.isArchived') : formatWhen(work.updatedAt)}
            </span>
          </span>
        </button>
        <Menu
          label={t('works.actions', { title })}
          trigger={
            <IconButton label={t('works.actions', { title })} size="sm" hasTooltip={false}>
              <MoreHorizontal aria-hidden="true" />
            </IconButton>
          }
          items={items}
        />
      </div>
      <FaultNote fault={archive.fault ?? remove.fault} />
      {asks === 'rename' && conversation ? (
        <RenameDialog conversation={conversation} shownTitle={title} onClose={() => setAsks(undefined)} />
      ) : undefined}
      <AlertDialog
        isOpen={asks === 'remove'}
        title={t('works.removeTitle', { title })}
        cancelLabel={t('action.cancel')}
        confirmLabel={t('works.remove')}
        onCancel={() => setAsks(undefined)}
        onConfirm={() => remove.run()}
      >
        {t(conversation ? 'works.removeText' : 'works.removeRunText')}
      </AlertDialog>
    </li>
  );
}

const LINE = 'flex h-5 flex-wrap items-center gap-x-1.5 overflow-hidden leading-5';

interface RowActions {
  readonly onAsk: (what: 'rename' | 'remove') => void;
  readonly onArchive: (isArchived: boolean) => void;
}

/** A run has the name of its workflow, and is not put away. */
function useRowItems({ conversation, isArchived }: Work, { onAsk, onArchive }: RowActions): MenuItem[] {
  const { t } = useTranslation();
  const ofConversation: MenuItem[] = [
    {
      id: 'rename',
      label: t('works.rename'),
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
    ...(conversation ? ofConversation : []),
    {
      id: 'remove',
      label: t('works.remove'),
      icon: <Trash2 aria-hidden="true" />,
      isDanger: true,
      onChoose: () => onAsk('remove'),
    },
  ];
}
