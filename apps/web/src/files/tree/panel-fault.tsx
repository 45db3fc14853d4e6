/** What did not work, at the foot of the panel it was tried in. */
import { useTranslation } from '../../i18n/use-translation.ts';
import { GoneFolderNote, isFolderGone } from '../../projects/gone-folder.tsx';
import { Button } from '../../ui/button.tsx';
import { FaultNote } from '../../ui/errors/fault-note.tsx';
import type { Fault } from '../../ui/errors/fault-words.ts';

interface PanelFaultProps {
  readonly projectId: string;
  readonly fault: Fault | undefined;
  readonly onClose: (() => void) | undefined;
}

export function PanelFault({ projectId, fault, onClose }: PanelFaultProps) {
  const { t } = useTranslation();
  if (fault === undefined) return undefined;
  return (
    <div className="shrink-0 border-t p-2">
      {isFolderGone(fault) ? (
        <GoneFolderNote projectId={projectId} onDone={onClose} />
      ) : (
        <FaultNote
          fault={fault}
          actions={
            onClose ? (
              <Button size="sm" onClick={onClose}>
                {t('action.close')}
              </Button>
            ) : undefined
          }
        />
      )}
    </div>
  );
}
