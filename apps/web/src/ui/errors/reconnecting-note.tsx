/** Says that the server cannot be reached for now, and how to start it if it was closed. */
import { useTranslation } from '../../i18n/use-translation.ts';
import { Note } from '../note.tsx';

export function ReconnectingNote() {
  const { t } = useTranslation();
  return (
    <Note level="warning" title={t('conversation.reconnecting')} advice={t('problem.NOT_REACHED.advice')}>
      {t('problem.NOT_REACHED.title')}
    </Note>
  );
}
