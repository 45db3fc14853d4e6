/** Repeats a step or rewinds to an earlier one; asks what to do with the files changed since. */
import type { UndoneFile } from '@crewagent/protocol/journal';
import { HAS_MOVED } from '@crewagent/protocol/story/describe-item';
import type { Story } from '@crewagent/protocol/story/story';
import { useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { useChanges } from '../../api/inspector-queries.ts';
import { formatDateTime } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { RadioGroup } from '../../ui/forms/checkbox.tsx';
import { Note } from '../../ui/note.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { useToasts } from '../../ui/overlays/toast-store.ts';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { useAction } from '../../ui/use-action.ts';
import { nodeTitle, toShownPath } from '../shown-names.ts';
import { changeMarkOf } from '../to-artifacts.ts';
import { filesSince, rewindTargets } from './to-rewind.ts';
import { UndoneFiles } from './use-undo.tsx';

export interface RewindDialogProps {
  /** `redo` resumes immediately; `back` waits for a message or for Resume. */
  readonly kind: 'redo' | 'back';
  readonly view: Readonly<Story>;
  readonly onResume: () => Promise<void>;
  readonly onClose: () => void;
  /** Opens the run, from a screen that does not show it. */
  readonly onOpen?: () => void;
}

export default function RewindDialog({ kind, view, onResume, onClose, onOpen }: RewindDialogProps) {
  const { t } = useTranslation();
  const client = useApi();
  const show = useToasts((toasts) => toasts.show);
  const targets = rewindTargets(view);
  const [chosen, setChosen] = useState(targets[0]?.nodeId);
  const nodeId = kind === 'redo' ? view.state.currentNodeId : chosen;
  const [undoesFiles, setUndoesFiles] = useState(false);
  /** Undone files, once the run is rewound: from then on the dialog only offers to resume. */
  const [moved, setMoved] = useState<readonly UndoneFile[]>();
  const [resuming, setResuming] = useState<'failed' | 'done'>();
  const titleOf = (id: string): string => toShownLine(nodeTitle(view, id));
  const { data: changes } = useChanges(view.runId, changeMarkOf(view));
  const files = nodeId === undefined ? [] : filesSince(view, nodeId, changes ?? []);
  const going = useAction(async (to: string) => {
    const body = { nodeId: to, undoesFiles: undoesFiles && files.length > 0 };
    const all = moved ?? (await client.works.rewind({ workId: view.runId, body })).files;
    setMoved(all);
    if (kind === 'redo') {
      await onResume().catch((error: unknown) => {
        setResuming('failed');
        throw error;
      });
      setResuming('done');
    }
    if (hasSaved(all)) return;
    const title = titleOf(to);
    const opening = onOpen && { label: t('action.open'), onChoose: onOpen };
    if (kind === 'redo') show(t('control.isAgain', { title }), opening);
    else show(t('control.isBack', { title }));
    onClose();
    if (kind === 'back') onOpen?.();
  });
  const close = (): void => {
    onClose();
    // If it is unknown whether the run resumed, its own screen shows what happened.
    if ((moved || going.isBusy) && resuming !== 'done') onOpen?.();
  };
  const isBack = moved !== undefined && (hasSaved(moved) || resuming === 'failed');
  const isOver = isBack && (kind === 'back' || resuming === 'done');
  return (
    <Dialog
      isOpen
      onClose={close}
      title={
        kind === 'redo' && nodeId !== undefined
          ? t('control.redoTitle', { title: titleOf(nodeId) })
          : t('control.backTitle')
      }
      description={t(kind === 'redo' ? 'control.redoText' : 'control.backText')}
      footer={
        <>
          <Button kind={isOver ? 'primary' : 'plain'} onClick={close}>
            {t(isBack ? 'action.close' : 'action.cancel')}
          </Button>
          {isOver ? undefined : (
            <Button
              kind="primary"
              isBusy={going.isBusy}
              disabled={nodeId === undefined}
              onClick={() => nodeId !== undefined && going.run(nodeId)}
            >
              {t(isBack ? 'action.resume' : kind === 'redo' ? 'control.redo' : 'control.goBack')}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4 pt-1">
        {isBack && hasSaved(moved) ? (
          <Note level="warning" title={t('control.keptTitle')} advice={t('inspector.files.conflictAdvice')}>
            <UndoneFiles files={moved} />
          </Note>
        ) : undefined}
        {isBack || kind === 'redo' ? undefined : (
          <RadioGroup
            label={t('control.where')}
            value={chosen}
            onChange={setChosen}
            options={targets.map((target) => ({
              value: target.nodeId,
              label: titleOf(target.nodeId),
              hint: t('control.lastThere', { when: formatDateTime(target.lastAt) }),
            }))}
          />
        )}
        {isBack ? undefined : <FilesChoice files={files} undoes={undoesFiles} onChange={setUndoesFiles} />}
        <ErrorNote
          issue={going.issue}
          title={isBack ? t('control.notResumed') : undefined}
          advice={isBack ? t('control.notResumedAdvice') : undefined}
        />
      </div>
    </Dialog>
  );
}

function hasSaved(files: readonly UndoneFile[]): boolean {
  return !files.every(({ outcome }) => HAS_MOVED.has(outcome));
}

interface FilesChoiceProps {
  readonly files: readonly string[];
  readonly undoes: boolean;
  readonly onChange: (undoes: boolean) => void;
}

function FilesChoice({ files, undoes, onChange }: FilesChoiceProps) {
  const { t } = useTranslation();
  if (files.length === 0) return <p className="text-sm text-ink-faint">{t('control.noFiles')}</p>;
  return (
    <div>
      <h3 className="mb-1 text-sm font-medium">{t('control.files')}</h3>
      <RadioGroup
        label={t('control.files')}
        value={undoes ? 'undo' : 'keep'}
        onChange={(value) => onChange(value === 'undo')}
        options={[
          { value: 'keep', label: t('control.keepFiles'), hint: t('control.keepFilesHint') },
          {
            value: 'undo',
            label: t('control.undoFiles', { count: files.length }),
            hint: t('control.undoFilesHint'),
          },
        ]}
      />
      <ul className="mt-1 ps-8 font-mono text-sm text-ink-faint">
        {files.map((path) => (
          <li key={path} className="wrap-anywhere">
            <bdi>{toShownPath(path)}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}
