/** What the run under way waits for a person to say. One for each call: what was typed for one is never sent for another. */
import type { RunView } from '@crewagent/protocol/run-view';
import type { ConversationApi } from '../../api/conversation-api.ts';
import { ApprovalDock } from './approval-dock.tsx';
import { QuestionDock } from './question-dock.tsx';

interface PendingDockProps {
  readonly api: ConversationApi;
  readonly conversationId: string;
  readonly active: Readonly<RunView>;
}

export function PendingDock({ api, conversationId, active: { runId, pending } }: PendingDockProps) {
  if (pending?.kind === 'question') {
    return (
      <QuestionDock
        key={pending.callId}
        runId={runId}
        item={pending}
        onAnswer={(callId, answers) => api.answer(conversationId, callId, answers)}
      />
    );
  }
  if (pending?.kind === 'approval') {
    return (
      <ApprovalDock
        key={pending.callId}
        item={pending}
        // A talk goes by the id of its conversation.
        isTalk={runId === conversationId}
        onApprove={(callId, word) => api.approve(conversationId, callId, word)}
      />
    );
  }
  return undefined;
}
