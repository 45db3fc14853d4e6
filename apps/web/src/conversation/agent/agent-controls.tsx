/** Agent and model pickers of the composer. */

import type { AgentBindingApi, NewAgentBinding } from '../../api/work-api.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import type { ConversationPicture } from '../../state/conversation-store.ts';
import { useToasts } from '../../ui/overlays/toast-store.ts';
import { toShownLine } from '../../ui/sanitize-text.ts';
import type { Sending } from '../composer/use-sending.ts';
import { AgentPicker } from './agent-picker.tsx';
import { ModelPicker } from './model-picker.tsx';

interface AgentControlsProps {
  readonly binding: AgentBindingApi;
  readonly workId: string;
  readonly picture: ConversationPicture;
  /** Errors are shown with those of the composer. */
  readonly sending: Sending;
}

export function AgentControls({ binding, workId, picture, sending }: AgentControlsProps) {
  const { t } = useTranslation();
  const { state, active, own } = picture;
  const isRunning = [active, own].some(({ status }) => status.kind === 'running');
  const turnTo = (next: NewAgentBinding): void => sending.send(() => binding.turnTo(workId, next));
  const setModel = (name: string): void =>
    sending.send(
      () => binding.setModel(workId, name),
      () => {
        const shown = name === 'rehearsal' ? t('composer.rehearsal') : toShownLine(name);
        useToasts.getState().show(t('composer.modelChanged', { name: shown }));
      },
    );
  return (
    <>
      <AgentPicker
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
