/** Where the conversation is, and what can be done about it: stop what runs, go on with what was cut off. */
import type { PhaseReason, RunPhase } from '@crewagent/protocol/run';
import { Play, Square } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { canResume } from '../state/work-list.ts';
import { Button } from '../ui/button.tsx';
import { toShownLine } from '../ui/foreign-text.ts';
import { PhasePill } from '../ui/phase-pill.tsx';
import { useAction } from '../ui/use-action.ts';

interface ConversationControlsProps {
  readonly phase: RunPhase;
  readonly reason: PhaseReason | undefined;
  readonly onStop: () => Promise<void>;
  readonly onResume: () => Promise<void>;
}

export function ConversationControls({ phase, reason, onStop, onResume }: ConversationControlsProps) {
  const { t } = useTranslation();
  const stop = useAction(onStop);
  const resume = useAction(onResume);
  const fault = stop.fault ?? resume.fault;
  return (
    <>
      {fault === undefined ? undefined : (
        <span role="alert" className="max-w-60 truncate text-sm text-bad" title={toShownLine(fault)}>
          {toShownLine(fault)}
        </span>
      )}
      <PhasePill phase={phase} />
      {phase === 'Running' ? (
        <Button
          size="sm"
          icon={<Square aria-hidden="true" className="size-3" />}
          isBusy={stop.isBusy}
          onClick={() => stop.run()}
        >
          {t('conversation.stop')}
        </Button>
      ) : undefined}
      {canResume({ phase, reason }) ? (
        <Button
          size="sm"
          icon={<Play aria-hidden="true" className="size-3" />}
          isBusy={resume.isBusy}
          onClick={() => resume.run()}
        >
          {t('conversation.resume')}
        </Button>
      ) : undefined}
    </>
  );
}
