/**
 * The conversation that `--continue` means, opened as the kind that was asked for: the one with the id, or the latest of
 * this project.
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
import { validationContext } from './context.ts';

export interface Continuation {
  /** True without an id. */
  readonly ref: string | true;
  /** Undefined where the person named none: an id says enough. */
  readonly project: string | undefined;
  readonly model: ModelChoice;
  readonly recordTo: string | undefined;
  /** Undefined for plain chat. */
  readonly agent: WantedAgent | undefined;
}

export interface WantedAgent {
  readonly package: string;
  readonly agent: string | undefined;
}

export interface ContinuedConversation {
  readonly session: Session;
  /** What had to happen first. */
  readonly events: readonly RunEvent[];
}

export async function continueConversation(
  runtime: Runtime,
  { ref, project, model, recordTo, agent }: Continuation,
): Promise<ContinuedConversation> {
  await runtime.sweepInterrupted();
  const isWanted = agent ? await toMatch(agent) : undefined;
  const isLatest = ref === true;
  const found = isLatest ? await findLatest(runtime, project ?? '.', isWanted) : ref;
  // What was last is meant here, not anywhere.
  const projectPath = isLatest || ref === 'last' ? (project ?? '.') : project;
  const session = await runtime.openConversation(found, { projectPath, model, recordTo });
  const events: RunEvent[] = [];
  const unsubscribe = session.subscribe((event) => events.push(event));
  try {
    await turnInto(session, agent, isWanted);
  } catch (error) {
    await session.close();
    throw error;
  }
  unsubscribe();
  return { session, events };
}

type AgentMatch = (agent: EnteredAgent) => boolean;

async function findLatest(
  runtime: Runtime,
  projectPath: string,
  isWanted: AgentMatch | undefined,
): Promise<string> {
  const isMeant = ({ record }: ListedConversation): boolean => {
    if (!record) return false;
    return isWanted ? record.agent !== undefined && isWanted(record.agent) : record.kind === 'chat';
  };
  const found = (await runtime.listConversations({ projectPath })).find(isMeant);
  if (found) return found.workId;
  throw new CrewError(
    'CONVERSATION_NOT_FOUND',
    `There is no ${isWanted ? 'conversation with such an agent' : 'chat'} in this project yet; leave out --continue to begin one.`,
  );
}

/** A package is known by its name: a newer version of it goes on with what an older one began. */
async function toMatch({ package: ref, agent: wanted }: WantedAgent): Promise<AgentMatch> {
  const isMeant = ({ agentId, name }: EnteredAgent): boolean =>
    wanted === undefined || agentId === wanted || name.toLowerCase() === wanted.toLowerCase();
  if (/[/\\]|\.(?:bmad|zip)$/i.test(ref) || existsSync(join(ref, 'bmad.json'))) {
    const { package: found } = await inspectPackage(ref, validationContext);
    if (!found)
      throw new CrewError('PACKAGE_INVALID', `"${ref}" is no valid package; crewagent validate says why.`);
    const { name } = found.manifest;
    return (agent) => agent.package.name === name && isMeant(agent);
  }
  return (agent) => {
    const { name, version, hash } = agent.package;
    const isHash = /^[0-9a-f]{6,64}$/i.test(ref) && hash.startsWith(ref.toLowerCase());
    return (name === ref || `${name}@${version}` === ref || isHash) && isMeant(agent);
  };
}

async function turnInto(
  session: Session,
  agent: WantedAgent | undefined,
  isWanted: AgentMatch | undefined,
): Promise<void> {
  const { agent: current, activeRunId } = session.view.state;
  if (agent) {
    if (!current || !isWanted?.(current)) await session.enterAgent(agent);
    return;
  }
  if (current) await session.dismissAgent();
  else if (activeRunId !== undefined) await session.input('/stop');
}
