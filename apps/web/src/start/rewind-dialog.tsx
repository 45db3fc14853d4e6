/** Does the step again, or goes back to an earlier one; asks what becomes of the files. */
import { useState } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { Checkbox } from '../ui/checkbox.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { FaultNote } from '../ui/fault-note.tsx';
import { toShownLine } from '../ui/foreign-text.ts';
import { RadioGroup } from '../ui/radio-group.tsx';
import type { Action } from '../ui/use-action.ts';
import type { StoppingPlace } from './stopping-place.ts';
import type { Rewinding } from './use-inbox-actions.ts';

interface RewindDialogProps {
  readonly place: StoppingPlace;
  readonly kind: 'redo' | 'back';
  readonly rewind: Action<[Rewinding]>;
  readonly onClose: () => void;
}

export function RewindDialog({ place, kind, rewind, onClose }: RewindDialogProps) {
  const { t } = useTranslation();
  const [nodeId, setNodeId] = useState(kind === 'redo' ? place.nodeId : place.earlier[0]?.id);
  const [undoesFiles, setUndoes] = useState(false);
  const step = toShownLine(place.title);
  return (
    <Dialog
      isOpen
      title={t(kind === 'redo' ? 'inbox.redoTitle' : 'inbox.backTitle', { step })}
      description={t(kind === 'redo' ? 'inbox.redoText' : 'inbox.backText')}
      closeLabel={t('action.close')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button
            kind="primary"
            isBusy={rewind.isBusy}
            disabled={nodeId === undefined}
            onClick={() =>
              nodeId !== undefined && rewind.run({ nodeId, undoesFiles, resumes: kind === 'redo' })
            }
          >
            {t(kind === 'redo' ? 'inbox.redo' : 'inbox.back')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4 pt-1.5">
        {kind === 'back' ? (
          <RadioGroup
            label={t('inbox.backTo')}
            value={nodeId}
            onChange={setNodeId}
            options={place.earlier.map(({ id, title }) => ({ value: id, label: toShownLine(title) }))}
          />
        ) : undefined}
        <Checkbox label={t('inbox.undoesFiles')} isChecked={undoesFiles} onChange={setUndoes} />
        <FaultNote fault={rewind.fault} />
      </div>
    </Dialog>
  );
}
