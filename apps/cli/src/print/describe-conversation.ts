/**
 * Formats conversations: agent, title, usage, and the command that continues them. Pure.
 */
import type { ConversationRecord, EnteredAgent } from '@crewagent/protocol/conversation';
import type { Usage } from '@crewagent/protocol/model';
import { addUsage } from '@crewagent/protocol/model';
import type { StoryCall } from '@crewagent/protocol/story/story';
import type { WorkStory } from '@crewagent/protocol/story/work-story';
import { sanitize } from '../terminal.ts';
import { shortId } from './describe-run.ts';
import { shellQuote } from './pending.ts';

/** `📋 Bob, Scrum Master` */
export function describeAgent({ icon = '', name, title, agentId }: EnteredAgent): string {
  const who = [name || agentId, title].filter((part) => part.trim() !== '').join(', ');
  return sanitize(`${icon} ${who}`.trim(), 200);
}

/** `workflow` is the title of the active run, for a conversation without messages. */
export function describeTitle({ title, agent }: ConversationRecord, workflow = ''): string {
  return sanitize(title.trim() || workflow.trim() || agent?.name.trim() || '(no messages yet)', 200);
}

/** The command that continues a conversation; `packageRef` is the package as the person typed it. */
export function toContinueCommand({ workId, agent }: ConversationRecord, packageRef?: string): string {
  const id = shortId(workId);
  if (!agent) return `crewagent chat --continue ${id}`;
  const ref = packageRef === undefined ? agent.package.hash.slice(0, 12) : sanitize(packageRef);
  return `crewagent agent ${shellQuote(ref)} --continue ${id}`;
}

/** Total over the conversation's own turns and all its runs. */
export function usageOf({ own, runs }: WorkStory): { readonly turns: number; readonly usage: Usage } {
  let { turns, usage } = own;
  const ended = new Set(
    [...runs.values()].flatMap(({ calls }) => calls.filter(isEnded).map(({ childId }) => childId)),
  );
  for (const run of runs.values()) {
    turns += run.turns;
    // When a call ends, its usage becomes part of the caller's.
    if (!ended.has(run.runId)) usage = addUsage(usage, run.usage);
  }
  return { turns, usage };
}

function isEnded({ outcome }: StoryCall): boolean {
  return outcome !== undefined;
}
