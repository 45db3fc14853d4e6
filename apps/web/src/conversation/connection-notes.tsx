/** What is wrong between the page and the conversation: it cannot be followed, or what was pressed here was not done. */
import { useTranslation } from '../i18n/use-translation.ts';
import { FaultNote } from '../ui/errors/fault-note.tsx';
import { isNotReached } from '../ui/errors/fault-words.ts';
import { Note } from '../ui/note.tsx';
import type { SendFault } from './composer/use-sending.ts';
import type { FollowedConversation } from './use-conversation.ts';

interface ConnectionNotesProps {
  readonly followed: FollowedConversation;
  /** Of what was pressed here. */
  readonly fault: SendFault | undefined;
}

export function ConnectionNotes({ followed, fault: ofPress }: ConnectionNotesProps) {
  const { connection, fault } = followed;
  const { t } = useTranslation();
  const isBroken = connection === 'broken' && !fault;
  const isToldAlready = isBroken && ofPress?.kind === 'fault' && isNotReached(ofPress.error);
  return (
    <>
      <FaultNote fault={fault} title={t('conversation.lostTitle')} advice={t('conversation.lostAdvice')} />
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
      {ofPress?.kind === 'fault' && !isToldAlready ? (
        <FaultNote fault={ofPress.error} title={t('conversation.notDone')} />
      ) : undefined}
    </>
  );
}
