/**
 * Opens the conversation for `--continue`: the one with the given id, or the latest of this project; switches it to the
 * requested agent, or to plain chat.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  CrewError,
  inspectPackage,
  type ListedConversation,
  type ModelChoice,
  type Runtime,
  type Session,
} from '@crewagent/core';
import type { EnteredAgent } from '@crewagent/protocol/conversation';
import type { RunEvent } from '@crewagent/protocol/events';
import { validationContext } from '../context.ts';
import { say } from '../print/texts/say.ts';
import { sanitize } from '../terminal.ts';

export interface Continuation {
  /** `true` if no id was given. */
  readonly ref: string | true;
  /** Undefined if not given: an id is sufficient. */
  readonly project: string | undefined;
  readonly model: ModelChoice;
  readonly recordTo: string | undefined;
  /** Undefined for plain chat. */
  readonly agent: RequestedAgent | undefined;
}

export interface RequestedAgent {
  readonly package: string;
  readonly agent: string | undefined;
}

/** `events`: emitted while the conversation was opened and switched; `notice`: what the person may not expect. */
export async function continueConversation(
  runtime: Runtime,
  { ref, project, model, recordTo, agent }: Continuation,
) {
  await runtime.sweepInterrupted();
  const requested = agent && (await toRequested(agent));
  const matchesAgent = requested?.matches;
  const isLatest = ref === true;
  const found = isLatest ? await findLatest(runtime, project ?? '.', matchesAgent) : ref;
  // "last" means the last one in this project.
  const projectPath = isLatest || ref === 'last' ? (project ?? '.') : project;
  const session = await runtime.openConversation(found, { projectPath, model, recordTo });
  const events: RunEvent[] = [];
  const unsubscribe = session.subscribe((event) => events.push(event));
  try {
    await switchTo(session, agent, matchesAgent);
  } catch (error) {
    await session.close();
    throw error;
  }
  unsubscribe();
  return { session, events, notice: toNotice(session, requested?.version) };
}

/** A conversation keeps the version of its package. */
function toNotice({ view }: Session, version: string | undefined): string | undefined {
  const { package: current } = view.state.agent ?? {};
  if (!current || version === undefined || current.version === version) return undefined;
  return say('prompt.keptVersion', {
    name: sanitize(current.name, 80),
    version: sanitize(current.version, 40),
    other: sanitize(version, 40),
  });
}

type AgentMatch = (agent: EnteredAgent) => boolean;

async function findLatest(
  runtime: Runtime,
  projectPath: string,
  matchesAgent: AgentMatch | undefined,
): Promise<string> {
  const isMatch = ({ record }: ListedConversation): boolean => {
    if (!record) return false;
    return matchesAgent ? record.agent !== undefined && matchesAgent(record.agent) : record.kind === 'chat';
  };
  const found = (await runtime.listConversations({ projectPath })).find(isMatch);
  if (found) return found.workId;
  throw new CrewError(
    'CONVERSATION_NOT_FOUND',
    `There is no ${matchesAgent ? 'conversation with this agent' : 'chat'} in this project yet. Leave out --continue to start one.`,
  );
}

/** Packages match by name: a newer version continues conversations of an older one. `version`: if the package is at hand. */
async function toRequested({
  package: ref,
  agent: wanted,
}: RequestedAgent): Promise<{ readonly matches: AgentMatch; readonly version?: string }> {
  const isMatch = ({ agentId, name }: EnteredAgent): boolean =>
    wanted === undefined || agentId === wanted || name.toLowerCase() === wanted.toLowerCase();
  if (/[/\\]|\.(?:bmad|zip)$/i.test(ref) || existsSync(join(ref, 'bmad.json'))) {
    const { package: found } = await inspectPackage(ref, validationContext);
    if (!found)
      throw new CrewError(
        'PACKAGE_INVALID',
        `"${ref}" is not a valid package. Run crewagent validate to see why.`,
      );
    const { name, version } = found.manifest;
    return { matches: (agent) => agent.package.name === name && isMatch(agent), version };
  }
  const matches: AgentMatch = (agent) => {
    const { name, version, hash } = agent.package;
    const isHash = /^[0-9a-f]{6,64}$/i.test(ref) && hash.startsWith(ref.toLowerCase());
    return (name === ref || `${name}@${version}` === ref || isHash) && isMatch(agent);
  };
  return { matches };
}

async function switchTo(
  session: Session,
  agent: RequestedAgent | undefined,
  matchesAgent: AgentMatch | undefined,
): Promise<void> {
  const { agent: current, activeRunId } = session.view.state;
  if (agent) {
    if (!current || !matchesAgent?.(current)) await session.enterAgent(agent);
    return;
  }
  if (current) await session.dismissAgent();
  else if (activeRunId !== undefined) await session.input('/stop');
}
