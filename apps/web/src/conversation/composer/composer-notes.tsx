/** Why what was written is still there, or why a file that was let go here cannot be named. */
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { FaultNote } from '../../ui/errors/fault-note.tsx';
import { toShownLine } from '../../ui/foreign-text.ts';
import { Note } from '../../ui/note.tsx';
import type { SendFault } from './use-sending.ts';

interface ComposerNotesProps {
  readonly fault: SendFault | undefined;
  /** Names of files from elsewhere. */
  readonly strangers: readonly string[];
  readonly onClose: () => void;
}

export function ComposerNotes({ fault, strangers, onClose }: ComposerNotesProps) {
  const { t } = useTranslation();
  return (
    <>
      {fault?.kind === 'fault' ? (
        <FaultNote fault={fault.error} title={t('composer.notSent')} besides={t('composer.kept')} />
      ) : undefined}
      {fault?.kind === 'not-taken' ? (
        <p role="status" className="px-1 text-sm text-ink-soft">
          {t('composer.notTaken')}
        </p>
      ) : undefined}
      {strangers.length > 0 ? (
        <Note
          level="info"
          title={t('composer.outside', { count: strangers.length, name: toShownLine(strangers[0] ?? '') })}
          advice={t('composer.outsideAdvice')}
          actions={
            <Button size="sm" onClick={onClose}>
              {t('action.close')}
            </Button>
          }
        >
          {t('composer.outsideWhy')}
        </Note>
      ) : undefined}
    </>
  );
}
