/** Doing a step again, or going back to an earlier one; asks what becomes of the files that were changed since. */
import type { UndoneFile } from '@crewagent/protocol/journal';
import type { RunView } from '@crewagent/protocol/run-view';
import { useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { useChanges } from '../api/inspector-queries.ts';
import { formatDateTime } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { changeMarkOf } from '../run/inspector/to-artifacts.ts';
import { UndoneFiles } from '../run/inspector/undo-outcome.tsx';
import { HAS_MOVED } from '../run/inspector/use-undo.ts';
import { useToasts } from '../state/toasts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { FaultNote } from '../ui/fault-note.tsx';
import { toShownLine } from '../ui/foreign-text.ts';
import { Note } from '../ui/note.tsx';
import { RadioGroup } from '../ui/radio-group.tsx';
import { useAction } from '../ui/use-action.ts';
import { filesSince, placesToGoBack } from './to-rewind.ts';

interface RewindDialogProps {
  /** Again goes on at once; back waits for a word or for Resume. */
  readonly kind: 'redo' | 'back';
  readonly view: Readonly<RunView>;
  readonly onResume: () => Promise<void>;
  readonly onClose: () => void;
}

export function RewindDialog({ kind, view, onResume, onClose }: RewindDialogProps) {
  const { t } = useTranslation();
  const client = useApi();
  const show = useToasts((toasts) => toasts.show);
  const { runId } = view;
  const places = placesToGoBack(view);
  const [chosen, setChosen] = useState(places[0]?.nodeId);
  const nodeId = kind === 'redo' ? view.state.currentNodeId : chosen;
  const [undoesFiles, setUndoesFiles] = useState(false);
  const [kept, setKept] = useState<readonly UndoneFile[]>();
  const titleOf = (id: string): string => toShownLine(view.nodes.find((node) => node.id === id)?.title ?? id);
  const { data: changes } = useChanges({ kind: 'run', runId }, changeMarkOf(view));
  const files = nodeId === undefined ? [] : filesSince(view, nodeId, changes ?? []);
  const rewind = useAction(async (to: string) => {
    const { files: moved } = await client.runs.rewind({
      runId,
      body: { nodeId: to, undoesFiles: undoesFiles && files.length > 0 },
    });
    if (kind === 'redo') await onResume();
    if (moved.every(({ outcome }) => HAS_MOVED.has(outcome))) {
      show(t(kind === 'redo' ? 'control.isAgain' : 'control.isBack', { title: titleOf(to) }));
      onClose();
    } else setKept(moved);
  });
  const verb = t(kind === 'redo' ? 'control.redo' : 'control.goBack');
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={
        kind === 'redo' && nodeId !== undefined
          ? t('control.redoTitle', { title: titleOf(nodeId) })
          : t('control.backTitle')
      }
      description={t(kind === 'redo' ? 'control.redoText' : 'control.backText')}
      closeLabel={t('action.close')}
      footer={
        kept ? (
          <Button kind="primary" onClick={onClose}>
            {t('action.close')}
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>{t('action.cancel')}</Button>
            <Button
              kind="primary"
              isBusy={rewind.isBusy}
              disabled={nodeId === undefined}
              onClick={() => nodeId !== undefined && rewind.run(nodeId)}
            >
              {verb}
            </Button>
          </>
        )
      }
    >
      {kept ? (
        <Note level="warning" title={t('control.keptTitle')} advice={t('inspector.files.conflictAdvice')}>
          <UndoneFiles files={kept} />
        </Note>
      ) : (
        <div className="flex flex-col gap-4 pt-1">
          {kind === 'back' ? (
            <RadioGroup
              label={t('control.where')}
              value={chosen}
              onChange={setChosen}
              options={places.map((place) => ({
                value: place.nodeId,
                label: titleOf(place.nodeId),
                hint: t('control.lastThere', { when: formatDateTime(place.lastAt) }),
              }))}
            />
          ) : undefined}
          <FilesChoice files={files} undoes={undoesFiles} onChange={setUndoesFiles} />
          <FaultNote fault={rewind.fault} />
        </div>
      )}
    </Dialog>
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
