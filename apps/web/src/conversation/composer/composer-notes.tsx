/** Why a message was not sent, or why a dropped file cannot be mentioned. */
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Note } from '../../ui/note.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import type { SendError } from './use-sending.ts';

interface ComposerNotesProps {
  readonly issue: SendError | undefined;
  /** Names of files outside the project. */
  readonly strangers: readonly string[];
  readonly onClose: () => void;
}

export function ComposerNotes({ issue, strangers, onClose }: ComposerNotesProps) {
  const { t } = useTranslation();
  return (
    <>
      {issue?.kind === 'error' ? (
        <ErrorNote issue={issue.error} title={t('composer.notSent')} besides={t('composer.kept')} />
      ) : undefined}
      {issue?.kind === 'rejected' ? (
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
