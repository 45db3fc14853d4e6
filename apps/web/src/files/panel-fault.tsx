/** What did not work, at the foot of the panel it was tried in. */
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { toShownText } from '../ui/foreign-text.ts';
import { Note } from '../ui/note.tsx';

interface PanelFaultProps {
  readonly fault: string | undefined;
  readonly onClose: (() => void) | undefined;
}

export function PanelFault({ fault, onClose }: PanelFaultProps) {
  const { t } = useTranslation();
  if (fault === undefined) return undefined;
  return (
    <div className="shrink-0 border-t p-2">
      <Note
        level="error"
        title={t('fault.title')}
        actions={
          onClose ? (
            <Button size="sm" onClick={onClose}>
              {t('action.close')}
            </Button>
          ) : undefined
        }
      >
        {toShownText(fault)}
      </Note>
    </div>
  );
}
