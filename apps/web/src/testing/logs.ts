/** Logs of real runs, as printed by the command line, for tests and the gallery. */
import type { RunEvent } from '@crewagent/protocol/events';
import agentStory from './fixtures/agent-story.jsonl?raw';
import helloBranch from './fixtures/hello-branch.jsonl?raw';

export const CONVERSATION_ID = '01a1de9a-0000-7000-8000-000000000000';

/** An agent, its menu, and a workflow chosen from it that runs to its end. */
export const agentStoryLog = parseLog(agentStory);
/** A run that asks, gets an answer, decides and completes. */
export const helloBranchLog = parseLog(helloBranch);

export function conversationIdOf([first]: readonly RunEvent[]): string {
  return first?.type === 'conversation.created' ? first.runId : CONVERSATION_ID;
}

/** Wraps a run's log as the only run of a conversation. */
export function inConversation(log: readonly RunEvent[]): readonly RunEvent[] {
  const [first] = log;
  if (first?.type !== 'run.created') return log;
  const stamp = { v: 1, ts: first.ts, runId: CONVERSATION_ID } as const;
  return [
    { ...stamp, seq: 1, type: 'conversation.created', kind: 'workflow', model: first.model },
    {
      ...stamp,
      seq: 2,
      type: 'run.entered',
      enteredRunId: first.runId,
      afterSeq: 0,
      title: first.workflow.title,
    },
    ...log,
  ];
}

function parseLog(text: string): readonly RunEvent[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RunEvent);
}
