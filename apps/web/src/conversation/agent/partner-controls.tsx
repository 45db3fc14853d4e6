/** Whom one talks to and who answers, to be changed where one writes. */

import type { NewPartner, PartnerApi } from '../../api/work-api.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import type { ConversationPicture } from '../../state/conversation-store.ts';
import { toShownLine } from '../../ui/foreign-text.ts';
import { useToasts } from '../../ui/overlays/toast-store.ts';
import type { Sending } from '../composer/use-sending.ts';
import { ModelPicker } from './model-picker.tsx';
import { PartnerPicker } from './partner-picker.tsx';

interface PartnerControlsProps {
  readonly partner: PartnerApi;
  readonly workId: string;
  readonly picture: ConversationPicture;
  /** What goes wrong is told with the rest. */
  readonly sending: Sending;
}

export function PartnerControls({ partner, workId, picture, sending }: PartnerControlsProps) {
  const { t } = useTranslation();
  const { state, active, own } = picture;
  const isRunning = active.phase === 'Running' || own.phase === 'Running';
  const turnTo = (next: NewPartner): void => sending.send(() => partner.turnTo(workId, next));
  const setModel = (name: string): void =>
    sending.send(
      () => partner.setModel(workId, name),
      () => {
        const shown = name === 'rehearsal' ? t('composer.rehearsal') : toShownLine(name);
        useToasts.getState().show(t('composer.modelChanged', { name: shown }));
      },
    );
  return (
    <>
      <PartnerPicker
        state={state}
        workflow={active.workflow?.title}
        isRunning={isRunning}
        isBusy={sending.isSending}
        onChoose={turnTo}
      />
      <ModelPicker
        model={active.model ?? own.model}
        isRunning={isRunning}
        isBusy={sending.isSending}
        onChoose={setModel}
      />
    </>
  );
}
