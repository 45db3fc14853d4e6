/** Shows and changes what the model may do without asking; next to the composer. */
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import { ShieldCheck } from 'lucide-react';
import { useWorkSummary } from '../../api/work-context.tsx';
import { useTranslation } from '../../i18n/use-translation.ts';
import { useToasts } from '../../ui/overlays/toast-store.ts';
import type { Sending } from '../composer/use-sending.ts';
import { ChoiceMark, Picker } from './picker.tsx';

interface ApprovalPickerProps {
  readonly workId: string;
  readonly isRunning: boolean;
  /** A workflow must be able to write. */
  readonly isWorkflow: boolean;
  readonly sending: Sending;
  readonly onChoose: (approval: ApprovalPreset) => Promise<void>;
}

const PRESETS = ['ask', 'declared', 'autopilot', 'read-only'] as const;

export function ApprovalPicker({ workId, isRunning, isWorkflow, sending, onChoose }: ApprovalPickerProps) {
  const { t } = useTranslation();
  const approval = useWorkSummary(workId)?.approval;
  if (approval === undefined) return undefined;
  const choose = (preset: ApprovalPreset): void =>
    sending.send(
      () => onChoose(preset),
      () =>
        useToasts.getState().show(
          t(isRunning ? 'approvalPicker.changedNow' : 'approvalPicker.changed', {
            name: t(`new.approval.${preset}.name`),
          }),
        ),
    );
  return (
    <Picker
      label={t('new.approvalLabel')}
      icon={<ShieldCheck aria-hidden="true" className="size-3.5 shrink-0" />}
      chosen={t(`new.approval.${approval}.name`)}
      isBusy={sending.isSending}
      items={PRESETS.filter((preset) => preset !== 'read-only' || !isWorkflow).map((preset) => ({
        id: preset,
        label: t(`new.approval.${preset}.name`),
        icon: <ChoiceMark isChosen={preset === approval} />,
        hint: t(`fields.tools.approval.options.${preset}.hint`),
        onChoose: () => {
          if (preset !== approval) choose(preset);
        },
      }))}
    />
  );
}
