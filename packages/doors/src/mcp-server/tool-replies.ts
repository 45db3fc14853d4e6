/**
 * What a tool answers about a run: the result of a call, what is new, the brief, or why the run stopped.
 */
import type { HostedCall, HostedIdle, HostedRun } from '@crewagent/core';
import { isObject } from '@crewagent/protocol/json-object';
import type { Story } from '@crewagent/protocol/story/story';
import type { Question } from '@crewagent/protocol/tools';
import { toGuide } from './texts.ts';
import type { ToolCall, ToolReply } from './tool-call.ts';

export const text = (shown: string): ToolReply => ({ kind: 'text', text: shown });

export function refusal(message: string): ToolReply {
  return { kind: 'text', text: message, isError: true };
}

/** The result of a call, and what is new. */
export function toReply({ ended, news, idle }: HostedCall, run: HostedRun, call: ToolCall): ToolReply {
  const isError = ended !== undefined && ended.outcome !== 'ok';
  const parts = [isError ? withHostNames(ended.content) : (ended?.content ?? ''), news];
  if (idle.kind === 'stopped') parts.push(toStopText(run, idle));
  // A new brief: the guide again, because a host may have dropped it.
  if (news.includes('NODE_BRIEF')) parts.push(guideOf(run, call));
  return { kind: 'text', text: parts.filter(Boolean).join('\n\n'), ...(isError ? { isError } : {}) };
}

export function toBrief(run: HostedRun, call: ToolCall, idle: HostedIdle): ToolReply {
  if (idle.kind === 'stopped') return toStop(run, idle);
  return text([run.brief() ?? '', guideOf(run, call)].join('\n\n'));
}

export function afterAnswer(run: HostedRun, call: ToolCall, idle: HostedIdle): ToolReply {
  if (idle.kind === 'stopped') return toStop(run, idle);
  const answered = run.lastResult();
  return text([answered, toBriefNews(run, call)].filter(Boolean).join('\n\n'));
}

/** What the person decided or said, with the position. */
export function toNews(run: HostedRun, call: ToolCall, idle: HostedIdle): ToolReply {
  return idle.kind === 'stopped' ? toStop(run, idle) : text(toBriefNews(run, call));
}

function toBriefNews(run: HostedRun, call: ToolCall): string {
  const news = run.news() ?? '';
  return news.includes('NODE_BRIEF') ? `${news}\n\n${guideOf(run, call)}` : news;
}

/** A refusal names the tools that the host has. */
function withHostNames(refused: string): string {
  return refused.replace(/\b(?:runtime[._](?:complete_node|update_state)|ui[._]ask_user)\b/g, (name) =>
    name.endsWith('node') ? 'complete_node' : name.endsWith('state') ? 'set_variables' : 'ask_person',
  );
}

export function toStop(run: HostedRun, idle: HostedIdle): ToolReply {
  const isComplete = idle.kind === 'stopped' && idle.stop.phase === 'Completed';
  return { kind: 'text', text: toStopText(run, idle), ...(isComplete ? {} : { isError: true }) };
}

function toStopText(run: HostedRun, idle: HostedIdle): string {
  if (idle.kind !== 'stopped') return '';
  const { pending } = run.engine;
  if (idle.stop.phase === 'Completed')
    return 'The workflow is complete. Tell the person what was made, in a few sentences.';
  if (pending?.kind === 'question')
    return `The run waits for the person: ${pending.questions.map(({ prompt }) => prompt).join(' ')} Call ask_person without questions to ask them again.`;
  const why = idle.stop.reason?.message ?? 'The run has stopped.';
  return `The run has stopped: ${why} Tell the person. When they say how to go on, call resume_workflow.`;
}

export function toChatQuestion(questions: readonly Question[]): string {
  const asked = questions.map(({ id, prompt, body, options = [] }) =>
    [...(body ? [body] : []), `(${id}) ${prompt}`, ...options.map((option) => `   - ${option}`)].join('\n'),
  );
  return `Ask the person in your chat, word for word, then stop and wait. Call report_answer with exactly what they reply.\n\n${asked.join('\n\n')}`;
}

function guideOf({ record, projectPath }: HostedRun, { asksPerson }: ToolCall): string {
  const { artifactsDir } = record.tools;
  return toGuide({ runId: record.workId, projectPath, artifactsDir, asksPerson });
}

export function toState(
  { workId, workflowTitle }: HostedRun['record'],
  { phase, reason, state, pending }: Pick<Story, 'phase' | 'reason' | 'state'> & { pending?: unknown },
): string {
  const { currentNodeId, stepsCompleted, variables, artifacts } = state;
  return JSON.stringify(
    {
      run: workId,
      workflow: workflowTitle,
      phase,
      reason: reason?.message,
      currentNodeId,
      stepsCompleted,
      variables,
      artifacts,
      waitsFor: isObject(pending) ? pending.kind : undefined,
    },
    null,
    2,
  );
}
