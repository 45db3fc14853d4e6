/**
 * The pickers for the next messages: the model, and the agent. A workflow is started, an active run is left; the timeline stays.
 */
import type { ConversationState } from '@crewagent/protocol/conversation-state';
import { Check, MessageSquareText, UserRound, Workflow } from 'lucide-react';
import { usePackageContents } from '../../api/queries.ts';
import type { AgentBindingApi, NewAgentBinding } from '../../api/work-api.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import type { ConversationPicture } from '../../state/conversation-store.ts';
import type { MenuItem } from '../../ui/overlays/menu.tsx';
import { useToasts } from '../../ui/overlays/toast-store.ts';
import { toShownLine } from '../../ui/sanitize-text.ts';
import type { Sending } from '../composer/use-sending.ts';
import { ModelPicker } from './model-picker.tsx';
import { Picker } from './picker.tsx';

interface AgentPickerProps {
  readonly state: ConversationState;
  /** Title of the active workflow. */
  readonly workflow: string | undefined;
  readonly isRunning: boolean;
  readonly isBusy: boolean;
  readonly onChoose: (binding: NewAgentBinding) => void;
}

export function AgentPicker({ state, workflow, isRunning, isBusy, onChoose }: AgentPickerProps) {
  const { t } = useTranslation();
  const { packages = [] } = usePackageContents().data ?? {};
  const { agent, activeRunId } = state;
  const isInRun = activeRunId !== undefined;
  const chosen = toShownLine((isInRun ? workflow : agent?.name) ?? '') || t('composer.nobody');
  const names = packages.flatMap(({ agents: all }) => all.map(({ name, title }) => `${name} · ${title}`));
  const isTwice = (label: string): boolean => names.filter((other) => other === label).length > 1;
  const agents = packages.flatMap(({ package: { hash, name: packageName }, agents: all }): MenuItem[] =>
    all.map(({ id, name, title }) => {
      const label = `${name} · ${title}`;
      const isHere = !isInRun && agent?.agentId === id && agent.package.hash === hash;
      return {
        id: `agent ${hash} ${id}`,
        label: toShownLine(isTwice(label) ? `${label} (${packageName})` : label),
        icon: isHere ? <Check aria-label={t('composer.isChosen')} /> : <UserRound aria-hidden="true" />,
        isDisabled: isRunning || isHere,
        onChoose: () => onChoose({ kind: 'agent', packageHash: hash, agent: id }),
      };
    }),
  );
  const workflows = packages.flatMap(({ package: { hash }, workflows: all }): MenuItem[] =>
    all.map(({ ref, title }) => ({
      id: `workflow ${hash} ${ref}`,
      label: t('composer.startWorkflow', { title: toShownLine(title) }),
      icon: <Workflow aria-hidden="true" />,
      isDisabled: isRunning,
      onChoose: () => onChoose({ kind: 'workflow', packageHash: hash, workflow: ref }),
    })),
  );
  const isNobody = !isInRun && !agent;
  return (
    <Picker
      label={t('composer.chatWith')}
      icon={<AgentIcon isInRun={isInRun} hasAgent={agent !== undefined} />}
      chosen={chosen}
      isBusy={isBusy}
      items={[
        ...agents,
        'separator',
        ...workflows,
        'separator',
        {
          id: 'chat',
          label: t('composer.nobody'),
          icon: isNobody ? (
            <Check aria-label={t('composer.isChosen')} />
          ) : (
            <MessageSquareText aria-hidden="true" />
          ),
          isDisabled: isRunning || isNobody,
          onChoose: () => onChoose({ kind: 'chat' }),
        },
      ]}
    />
  );
}

function AgentIcon({ isInRun, hasAgent }: { readonly isInRun: boolean; readonly hasAgent: boolean }) {
  const Icon = isInRun ? Workflow : hasAgent ? UserRound : MessageSquareText;
  return <Icon aria-hidden="true" className="size-3.5 shrink-0" />;
}

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
