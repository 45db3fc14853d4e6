/**
 * A conversation in words: who is in it, what it is called, what it took, how to come back to it. Pure.
 */
import type { ConversationRecord, EnteredAgent } from '@crewagent/protocol/conversation';
import type { Usage } from '@crewagent/protocol/model';
import type { WorkView } from '@crewagent/protocol/work-view';
import { shortId } from './describe-run.ts';
import { blockName } from './pending.ts';
import { sanitize } from './terminal.ts';

/** `📋 Bob, Scrum Master` */
export function describeAgent({ icon = '', name, title, agentId }: EnteredAgent): string {
  const who = [name || agentId, title].filter((words) => words.trim() !== '').join(', ');
  return sanitize(`${icon} ${who}`.trim(), 200);
}

/** `workflow`: the title of the run it is in, for one in which nothing was said. */
export function describeTitle({ title, agent }: ConversationRecord, workflow = ''): string {
  return sanitize(title.trim() || workflow.trim() || agent?.name.trim() || '(nothing said yet)', 200);
}

/** The command that goes on with it; the package as the person named it, where they did. */
export function comeBack({ workId, agent }: ConversationRecord, packageRef?: string): string {
  const id = shortId(workId);
  if (!agent) return `crewagent chat --continue ${id}`;
  const ref = packageRef === undefined ? agent.package.hash.slice(0, 12) : sanitize(packageRef);
  return `crewagent agent ${blockName(ref)} --continue ${id}`;
}

/** Of its own turns and those of all runs. */
export function usageOf({ own, runs }: WorkView): { readonly turns: number; readonly usage: Usage } {
  let { turns, usage } = own;
  for (const run of runs.values()) {
    turns += run.turns;
    usage = add(usage, run.usage);
  }
  return { turns, usage };
}

function add(a: Usage, b: Usage): Usage {
  const isPriced = a.costUsd !== undefined || b.costUsd !== undefined;
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    ...(isPriced ? { costUsd: (a.costUsd ?? 0) + (b.costUsd ?? 0) } : {}),
    ...(a.isEstimated || b.isEstimated ? { isEstimated: true } : {}),
  };
}
