/**
 * Resolves the agent that a person names: of the given package, or of the current one.
 */
import type { EnteredAgent } from '@crewagent/protocol/conversation';
import { CrewError } from '../base/crew-error.ts';
import type { Workflow, WorkflowPackage } from '../bmad/check/workflow-package.ts';
import type { AgentBinding, ThreadOptions } from './conversation/open-thread.ts';
import { loadInstalled, pinPackage, resolveAgent } from './load-workflow.ts';
import type { AgentChoice } from './session.ts';

/** `workflowIn` returns the workflow to start; the default agent is then the one whose menu starts it. */
export async function resolveAgentBinding(
  { package: ref, agent: wanted }: AgentChoice,
  current: AgentBinding | undefined,
  { store, context }: Pick<ThreadOptions, 'store' | 'context'>,
  workflowIn?: (loaded: WorkflowPackage) => Workflow,
): Promise<AgentBinding> {
  if (ref === undefined && !current)
    throw new CrewError('USAGE', 'This conversation has no package yet. Choose the package of the agent.');
  const packageHash = ref === undefined ? current?.packageHash : await pinPackage(ref, store, context);
  if (packageHash === undefined) throw new Error('neither a package name nor a current package');
  const loaded =
    packageHash === current?.packageHash ? current.loaded : await loadInstalled(packageHash, store, context);
  const agentId = workflowIn
    ? resolveAgent(loaded, workflowIn(loaded), wanted)
    : findAgent(loaded, wanted?.trim());
  const agent = loaded.agents.find(({ id }) => id === agentId);
  if (!agent) throw new CrewError('AGENT_NOT_FOUND', `${loaded.manifest.name} has no agents.`);
  return { agent, packageHash, loaded };
}

function findAgent({ agents, manifest }: WorkflowPackage, wanted: string | undefined): string | undefined {
  if (!wanted) return (agents.find(({ menu = [] }) => menu.length > 0) ?? agents[0])?.id;
  const found = agents.find(
    ({ id, metadata }) => id === wanted || metadata.name.toLowerCase() === wanted.toLowerCase(),
  );
  if (found) return found.id;
  const known = agents.map(({ id }) => id).join(', ');
  throw new CrewError('AGENT_NOT_FOUND', `${manifest.name} has no agent "${wanted}"; it has ${known}.`);
}

export function toEnteredAgent({ agent, packageHash, loaded }: AgentBinding): EnteredAgent {
  const { name, title, icon } = agent.metadata;
  const { manifest } = loaded;
  return {
    agentId: agent.id,
    name,
    title,
    icon: icon || undefined,
    package: { name: manifest.name, version: manifest.version, hash: packageHash },
  };
}
