/** Repeats a step or rewinds to an earlier one; asks what to do with the files changed since. */
import type { UndoneFile } from '@crewagent/protocol/journal';
import type { RunView } from '@crewagent/protocol/run-view';
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
import { changeMarkOf } from '../to-artifacts.ts';
import { filesSince, rewindTargets } from './to-rewind.ts';
import { UndoneFiles } from './undo-outcome.tsx';
import { HAS_MOVED } from './use-undo.ts';

interface RewindDialogProps {
  /** `redo` resumes immediately; `back` waits for a message or for Resume. */
  readonly kind: 'redo' | 'back';
  readonly view: Readonly<RunView>;
  readonly onResume: () => Promise<void>;
  readonly onClose: () => void;
  /** Opens the run, from a screen that does not show it. */
  readonly onOpen?: () => void;
}

export function RewindDialog({ kind, view, onResume, onClose, onOpen }: RewindDialogProps) {
  const { t } = useTranslation();
  const client = useApi();
  const show = useToasts((toasts) => toasts.show);
  const { runId } = view;
  const targets = rewindTargets(view);
  const [chosen, setChosen] = useState(targets[0]?.nodeId);
  const nodeId = kind === 'redo' ? view.state.currentNodeId : chosen;
  const [undoesFiles, setUndoesFiles] = useState(false);
  /** Undone files, once the run is rewound: from then on the dialog only offers to resume. */
  const [moved, setMoved] = useState<readonly UndoneFile[]>();
  const [resuming, setResuming] = useState<'failed' | 'done'>();
  const titleOf = (id: string): string => toShownLine(view.nodes.find((node) => node.id === id)?.title ?? id);
  const { data: changes } = useChanges(runId, changeMarkOf(view));
  const files = nodeId === undefined ? [] : filesSince(view, nodeId, changes ?? []);
  const rewind = async (to: string): Promise<readonly UndoneFile[]> => {
    const body = { nodeId: to, undoesFiles: undoesFiles && files.length > 0 };
    const rewound = await client.works.rewind({ workId: runId, body });
    setMoved(rewound.files);
    return rewound.files;
  };
  const going = useAction(async (to: string) => {
    const all = moved ?? (await rewind(to));
    if (kind === 'redo') {
      await onResume().catch((error: unknown) => {
        setResuming('failed');
        throw error;
      });
      setResuming('done');
    }
    if (hasSaved(all)) return;
    if (kind === 'redo')
      show(
        t('control.isAgain', { title: titleOf(to) }),
        onOpen && { label: t('action.open'), onChoose: onOpen },
      );
    else show(t('control.isBack', { title: titleOf(to) }));
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
  const verb = t(isBack ? 'action.resume' : kind === 'redo' ? 'control.redo' : 'control.goBack');
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
        isOver ? (
          <Button kind="primary" onClick={close}>
            {t('action.close')}
          </Button>
        ) : (
          <>
            <Button onClick={close}>{t(isBack ? 'action.close' : 'action.cancel')}</Button>
            <Button
              kind="primary"
              isBusy={going.isBusy}
              disabled={nodeId === undefined}
              onClick={() => nodeId !== undefined && going.run(nodeId)}
            >
              {verb}
            </Button>
          </>
        )
      }
    >
      {isBack ? (
        <RewindOutcome files={moved} issue={going.issue} />
      ) : (
        <div className="flex flex-col gap-4 pt-1">
          {kind === 'back' ? (
            <TargetChoice targets={targets} titleOf={titleOf} value={chosen} onChange={setChosen} />
          ) : undefined}
          <FilesChoice files={files} undoes={undoesFiles} onChange={setUndoesFiles} />
          <ErrorNote issue={going.issue} />
        </div>
      )}
    </Dialog>
  );
}

interface TargetChoiceProps {
  readonly targets: ReturnType<typeof rewindTargets>;
  readonly titleOf: (nodeId: string) => string;
  readonly value: string | undefined;
  readonly onChange: (nodeId: string) => void;
}

function TargetChoice({ targets, titleOf, value, onChange }: TargetChoiceProps) {
  const { t } = useTranslation();
  return (
    <RadioGroup
      label={t('control.where')}
      value={value}
      onChange={onChange}
      options={targets.map(({ nodeId, lastAt }) => ({
        value: nodeId,
        label: titleOf(nodeId),
        hint: t('control.lastThere', { when: formatDateTime(lastAt) }),
      }))}
    />
  );
}

function hasSaved(files: readonly UndoneFile[]): boolean {
  return !files.every(({ outcome }) => HAS_MOVED.has(outcome));
}

interface RewindOutcomeProps {
  readonly files: readonly UndoneFile[];
  readonly issue: Error | undefined;
}

/** The result of the rewind. */
function RewindOutcome({ files, issue }: RewindOutcomeProps) {
  const { t } = useTranslation();
  return (
    <div className="flex flex-col gap-4 pt-1">
      {hasSaved(files) ? (
        <Note level="warning" title={t('control.keptTitle')} advice={t('inspector.files.conflictAdvice')}>
          <UndoneFiles files={files} />
        </Note>
      ) : undefined}
      <ErrorNote issue={issue} title={t('control.notResumed')} advice={t('control.notResumedAdvice')} />
    </div>
  );
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
            <bdi>{toShownLine(path).replace(/^@project\//, '')}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}
