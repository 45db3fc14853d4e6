/** Asks the person in the editor for what a turn waits for, and returns the command that continues it. */
import { type AgentContext, RequestError, type ToolCallUpdate } from '@agentclientprotocol/sdk';
import type { AcceptOptions, Pending, Session, SessionStop } from '@crewagent/core';
import { type ApprovalForm, type PendingApproval, toApproval, toPermissionRequest } from './ask-approval.ts';
import { toButtonAnswers, toButtons, toForm, toFormAnswers } from './ask-questions.ts';
import { findCall } from './to-entries.ts';

export interface Asking extends Pick<ApprovalForm, 'language' | 'say' | 'toPath'> {
  readonly session: Session;
  readonly client: AgentContext;
  readonly hasForms: boolean;
  /** Aborted when the person cancels the turn; whatever the editor answers after that does not count. */
  readonly signal: AbortSignal;
  /** The answer was not typed as a message. */
  onAnswered(callId: string): void;
}

/** `cancelled`: the person does not decide now. `reply`: they reply with a message. */
export type Asked = Command | 'cancelled' | 'reply';

export type Command = (options: AcceptOptions) => Promise<SessionStop>;

export async function askEditor(pending: Pending, asking: Asking): Promise<Asked> {
  try {
    return await (pending.kind === 'approval' ? askApproval(pending, asking) : askQuestions(pending, asking));
  } catch (error) {
    if (asking.signal.aborted) return 'cancelled';
    // An editor that cannot show it: the person replies with a message, or decides on the page.
    if (error instanceof RequestError) return 'reply';
    throw error;
  }
}

async function askApproval(pending: PendingApproval, asking: Asking): Promise<Asked> {
  const { session, client, signal } = asking;
  const { callId } = pending;
  const toolCallId = findCall(session.view, callId)?.id ?? callId;
  const form = { ...asking, isThread: session.mode !== 'run' };
  const { outcome } = await client.request(
    'session/request_permission',
    { sessionId: session.record.workId, ...toPermissionRequest(pending, toolCallId, form) },
    { cancellationSignal: signal, stopWaitingOnCancel: true },
  );
  if (outcome.outcome === 'cancelled' || signal.aborted) return 'cancelled';
  const response = toApproval(outcome.optionId, pending);
  return response ? (options) => session.approve(response, { callId, ...options }) : 'cancelled';
}

async function askQuestions(
  { callId, questions }: Extract<Pending, { kind: 'question' }>,
  { session, client, hasForms, signal, say, onAnswered }: Asking,
): Promise<Asked> {
  const sessionId = session.record.workId;
  const waiting = { cancellationSignal: signal, stopWaitingOnCancel: true };
  const answer = (answers: Parameters<Session['answer']>[0]): Asked => {
    onAnswered(callId);
    return (options) => session.answer(answers, { callId, ...options });
  };
  const requestedSchema = hasForms ? toForm(questions) : undefined;
  if (requestedSchema) {
    const message = questions.map(({ prompt }) => prompt).join('\n');
    const response = await client.request(
      'elicitation/create',
      { mode: 'form', sessionId, message, requestedSchema },
      waiting,
    );
    if (signal.aborted) return 'cancelled';
    return response.action === 'accept' ? answer(toFormAnswers(questions, response.content)) : 'reply';
  }
  const options = toButtons(questions, say);
  if (!options) return 'reply';
  const [first] = questions;
  const toolCall: ToolCallUpdate = {
    toolCallId: `question:${callId}`,
    title: first?.prompt ?? '',
    kind: 'other',
    status: 'pending',
  };
  const { outcome } = await client.request(
    'session/request_permission',
    { sessionId, toolCall, options },
    waiting,
  );
  if (outcome.outcome === 'cancelled' || signal.aborted) return 'cancelled';
  const answers = toButtonAnswers(questions, outcome.optionId);
  return answers ? answer(answers) : 'reply';
}
