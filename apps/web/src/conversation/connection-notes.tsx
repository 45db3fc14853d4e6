/** Connection errors: the conversation cannot be followed, or an action failed. */
import { useTranslation } from '../i18n/use-translation.ts';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { isNotReached } from '../ui/errors/error-texts.ts';
import { Note } from '../ui/note.tsx';
import type { SendError } from './composer/use-sending.ts';
import type { FollowedConversation } from './use-conversation.ts';

interface ConnectionNotesProps {
  readonly followed: FollowedConversation;
  /** Error of the last action. */
  readonly issue: SendError | undefined;
}

export function ConnectionNotes({ followed, issue: ofPress }: ConnectionNotesProps) {
  const { connection, issue } = followed;
  const { t } = useTranslation();
  const isBroken = connection === 'broken' && !issue;
  const isShownAlready = isBroken && ofPress?.kind === 'error' && isNotReached(ofPress.error);
  return (
    <>
      <ErrorNote issue={issue} title={t('conversation.lostTitle')} advice={t('conversation.lostAdvice')} />
      {isBroken ? (
        <div role="status">
          <Note
            level="warning"
            title={t('conversation.reconnecting')}
            advice={t('problem.NOT_REACHED.advice')}
          >
            {t('problem.NOT_REACHED.title')}
          </Note>
        </div>
      ) : undefined}
      {ofPress?.kind === 'error' && !isShownAlready ? (
        <ErrorNote issue={ofPress.error} title={t('timeline.notDone')} />
      ) : undefined}
    </>
  );
}
