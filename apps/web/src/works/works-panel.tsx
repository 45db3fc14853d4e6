/** The conversations of a project, as they change: open one, name it, put it away, delete it, begin another. */
import { Archive, MoreHorizontal, PencilLine, Plus, Trash2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { useWork } from '../api/work-context.tsx';
import { navigate } from '../app/router.ts';
import { formatWhen } from '../i18n/format.ts';
import type { Conversation } from '../state/work-list.ts';
import { AlertDialog } from '../ui/alert-dialog.tsx';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { FaultNote } from '../ui/fault-note.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Menu } from '../ui/menu.tsx';
import { PhasePill } from '../ui/phase-pill.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { Switch } from '../ui/switch.tsx';
import { useAction } from '../ui/use-action.ts';
import { RenameDialog } from './rename-dialog.tsx';
import { useTitleOf } from './use-title-of.ts';

interface WorksPanelProps {
  readonly projectId: string;
  readonly openId: string | undefined;
}

export function WorksPanel({ projectId, openId }: WorksPanelProps) {
  const { t } = useTranslation();
  const { list } = useWork();
  const [hasArchived, setArchived] = useState(false);
  const all = list?.conversations.filter((conversation) => conversation.projectId === projectId);
  const shown = all?.filter(({ archivedAt }) => hasArchived || archivedAt === undefined);
  const isSome = (all ?? []).some(({ archivedAt }) => archivedAt !== undefined);
  return (
    <section aria-label={t('rail.works')} className="flex h-full min-h-0 flex-col bg-canvas">
      <div className="flex h-10 shrink-0 items-center gap-2 border-b px-3">
        <h2 className="grow font-medium max-md:invisible">{t('rail.works')}</h2>
        {/* Elsewhere one is there already. */}
        {openId === undefined ? undefined : (
          <Button
            size="sm"
            icon={<Plus aria-hidden="true" className="size-3.5" />}
            onClick={() => navigate({ name: 'project', projectId })}
          >
            {t('works.new')}
          </Button>
        )}
      </div>
      <div className="min-h-0 grow overflow-auto p-1.5">
        {shown === undefined ? <Skeleton className="m-1 h-12" /> : undefined}
        {shown?.length === 0 ? <p className="p-2 text-ink-faint">{t('works.empty')}</p> : undefined}
        <ul aria-label={t('works.list')} className="flex flex-col gap-0.5">
          {shown?.map((conversation) => (
            <WorkRow
              key={conversation.conversationId}
              conversation={conversation}
              isOpen={conversation.conversationId === openId}
            />
          ))}
        </ul>
      </div>
      {isSome ? (
        <div className="shrink-0 border-t px-3 py-2">
          <Switch label={t('works.showArchived')} isOn={hasArchived} onChange={setArchived} />
        </div>
      ) : undefined}
    </section>
  );
}

interface WorkRowProps {
  readonly conversation: Conversation;
  readonly isOpen: boolean;
}

function WorkRow({ conversation, isOpen }: WorkRowProps) {
  const { t } = useTranslation();
  const client = useApi();
  const titleOf = useTitleOf();
  const [asks, setAsks] = useState<'rename' | 'remove'>();
  const { projectId, conversationId, phase, updatedAt, archivedAt } = conversation;
  const archive = useAction((isArchived: boolean) =>
    client.conversations.change({ conversationId, body: { isArchived } }),
  );
  const remove = useAction(async () => {
    setAsks(undefined);
    await client.conversations.remove({ conversationId });
    if (isOpen) navigate({ name: 'project', projectId });
  });
  const title = titleOf(conversation);
  return (
    <li className={classNames('rounded-md', isOpen ? 'bg-pressed' : 'hover:bg-hover')}>
      <div className="flex items-center gap-1 pe-1">
        <button
          type="button"
          aria-current={isOpen ? 'page' : undefined}
          onClick={() => navigate({ name: 'conversation', projectId, conversationId })}
          className="min-w-0 grow rounded-md px-2 py-1.5 text-start -outline-offset-2"
        >
          <span className="block truncate font-medium">{title}</span>
          <span className="mt-0.5 flex items-center gap-1.5 text-xs text-ink-soft">
            <PhasePill phase={phase} />
            <span className="truncate">
              {archivedAt === undefined ? formatWhen(updatedAt) : t('works.isArchived')}
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
          items={[
            {
              id: 'rename',
              label: t('works.rename'),
              icon: <PencilLine aria-hidden="true" />,
              onChoose: () => setAsks('rename'),
            },
            archivedAt === undefined
              ? {
                  id: 'archive',
                  label: t('works.archive'),
                  icon: <Archive aria-hidden="true" />,
                  onChoose: () => archive.run(true),
                }
              : {
                  id: 'restore',
                  label: t('works.restore'),
                  icon: <Undo2 aria-hidden="true" />,
                  onChoose: () => archive.run(false),
                },
            'separator',
            {
              id: 'remove',
              label: t('works.remove'),
              icon: <Trash2 aria-hidden="true" />,
              isDanger: true,
              onChoose: () => setAsks('remove'),
            },
          ]}
        />
      </div>
      <FaultNote fault={archive.fault ?? remove.fault} />
      {asks === 'rename' ? (
        <RenameDialog conversation={conversation} onClose={() => setAsks(undefined)} />
      ) : undefined}
      <AlertDialog
        isOpen={asks === 'remove'}
        title={t('works.removeTitle', { title })}
        cancelLabel={t('action.cancel')}
        confirmLabel={t('works.remove')}
        onCancel={() => setAsks(undefined)}
        onConfirm={() => remove.run()}
      >
        {t('works.removeText')}
      </AlertDialog>
    </li>
  );
}
