/** Question or approval the active run waits for. Keyed by call: text typed for one is never sent for another. */
import type { ApprovalResponse } from '@crewagent/protocol/approvals';
import type { Story } from '@crewagent/protocol/story/story';
import type { WorkApi } from '../../api/work-api.ts';
import { ApprovalDock, GoBackDock } from './approval-dock.tsx';
import { ChangesDock } from './changes-dock.tsx';
import { QuestionDock } from './question-dock.tsx';

interface PendingDockProps {
  readonly api: WorkApi;
  readonly workId: string;
  readonly active: Readonly<Story>;
  /** The request on the page is not the one that waits. */
  readonly onOutdated: () => void;
}

export function PendingDock({ api, workId, active, onOutdated }: PendingDockProps) {
  const { runId, pending, timeline } = active;
  if (pending?.kind === 'question') {
    return (
      <QuestionDock
        key={pending.callId}
        runId={runId}
        item={pending}
        onAnswer={(callId, answers) => api.answer(workId, callId, answers)}
        onStop={(callId) => api.stopQuestion(workId, callId)}
        attach={api.attach}
        detach={api.detach}
      />
    );
  }
  if (pending?.kind === 'approval') {
    const shared = {
      item: pending,
      // In a thread the run id is the id of the conversation.
      isThread: runId === workId,
      onApprove: async (callId: string, response: ApprovalResponse): Promise<void> => {
        try {
          await api.approve(workId, callId, response);
        } catch (error) {
          if (error instanceof Error && 'code' in error && error.code === 'APPROVAL_OUTDATED') onOutdated();
          throw error;
        }
      },
    };
    if (pending.tool === 'runtime.go_back')
      return <GoBackDock key={pending.callId} item={pending} onApprove={shared.onApprove} />;
    if (pending.following && pending.following.length > 0)
      return <ChangesDock key={pending.callId} {...shared} />;
    const call = timeline.findLast((item) => item.kind === 'tool' && item.callId === pending.callId);
    return <ApprovalDock key={pending.callId} {...shared} call={call} />;
  }
  return undefined;
}
