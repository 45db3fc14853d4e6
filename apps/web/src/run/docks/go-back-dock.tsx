/** The model asks to take the run back to an earlier step: what that means, and why. */
import type { ApprovalDecision, ApprovalResponse } from '@crewagent/protocol/approvals';
import { parseObject, textOf } from '@crewagent/protocol/json-object';
import type { ItemOf } from '@crewagent/protocol/timeline';
import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { toShownLine, toShownProse } from '../../ui/sanitize-text.ts';
import { Dock } from './dock.tsx';
import { NoteAndDeny } from './note-and-deny.tsx';
import { toSha256 } from './to-sha256.ts';
import { ALLOW_KEYS, DENY_KEYS, toAriaKeys } from './use-dock-keys.ts';
import { useSentOnce } from './use-sent-once.ts';

interface GoBackDockProps {
  readonly item: ItemOf<'approval'>;
  readonly onApprove: (callId: string, response: ApprovalResponse) => Promise<void>;
}

export function GoBackDock({ item: { callId, action }, onApprove }: GoBackDockProps) {
  const { t } = useTranslation();
  const [note, setNote] = useState('');
  const { isSending, issue, send } = useSentOnce();
  const { text } = action.preview;
  const { title, reason } = parseObject(text) ?? {};
  const say = (decision: ApprovalDecision): void =>
    send(async () =>
      onApprove(callId, {
        decision,
        ...(note.trim() === '' ? {} : { note: note.trim() }),
        ...(decision === 'no' ? {} : { shown: await toSha256(text) }),
      }),
    );
  const [allow, deny] = [() => say('once'), () => say('no')];
  return (
    <Dock
      icon={<Undo2 />}
      title={t('approval.titleOfGoBack', { node: toShownLine(textOf(title) || action.target) })}
      issue={issue}
      keys={{ [ALLOW_KEYS]: allow, [DENY_KEYS]: deny }}
      asked={action}
      footer={
        <>
          <NoteAndDeny
            note={note}
            onNote={setNote}
            label={t('approval.goBackNo')}
            isDisabled={isSending}
            onDeny={deny}
          />
          <Button
            kind="primary"
            isBusy={isSending}
            aria-keyshortcuts={toAriaKeys(ALLOW_KEYS)}
            onClick={allow}
          >
            {t('approval.goBackYes')}
            <Kbd keys={ALLOW_KEYS} isOnButton />
          </Button>
        </>
      }
    >
      <p className="mb-2 whitespace-pre-wrap wrap-anywhere">{toShownProse(textOf(reason) ?? '')}</p>
      <p className="text-sm text-ink-faint">{t('approval.goBack')}</p>
    </Dock>
  );
}
