/**
 * Resolves the models that a person chose for a project, an agent or a node.
 */
import type { Settings } from '@crewagent/protocol/settings';
import type { LLMAdapter, TurnContext } from '../../llm/llm-adapter.ts';
import type { UserStore } from '../../store/store.ts';
import type { Environment, ModelChoice } from './choose-model.ts';

/** The choice itself if it names a model; otherwise the model of the project, if there is one. */
export async function withProjectModel(
  choice: ModelChoice,
  projectPath: string,
  { store, settings, env }: { store: UserStore; settings: Settings; env: Environment },
): Promise<ModelChoice> {
  const isNamed = Object.values(choice).some((value) => value !== undefined);
  const { projects } = settings.modelFor;
  if (isNamed || env.CREWAGENT_MODEL || env.CREWAGENT_BASE_URL || Object.keys(projects).length === 0)
    return choice;
  const project = await store.projects.find(projectPath);
  const name =
    project && Object.hasOwn(projects, project.projectId) ? projects[project.projectId] : undefined;
  return name === undefined ? choice : { model: name };
}

/** Routes agents and nodes to their models. Models that are not in the settings are ignored. */
export async function openRoutes(
  main: LLMAdapter,
  { modelFor: { agents, nodes }, models }: Settings,
  open: (name: string) => Promise<LLMAdapter>,
): Promise<LLMAdapter> {
  const names = [...new Set([...Object.values(agents), ...Object.values(nodes)])].filter((name) =>
    Object.hasOwn(models, name),
  );
  if (names.length === 0) return main;
  const { routeModels } = await import('../../llm/routed-model.ts');
  const opened = new Map<string, LLMAdapter>();
  for (const name of names) opened.set(name, await open(name));
  const find = ({ agentId, nodeId }: TurnContext): LLMAdapter | undefined => {
    const byNode = nodeId !== undefined && Object.hasOwn(nodes, nodeId) ? nodes[nodeId] : undefined;
    const name = byNode ?? (Object.hasOwn(agents, agentId) ? agents[agentId] : undefined);
    return name === undefined ? undefined : opened.get(name);
  };
  return routeModels(main, [...opened.values()], find);
}
