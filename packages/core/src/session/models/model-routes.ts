/**
 * Opens the model of a run or a conversation, and those that a person chose for a project, an agent or a node.
 */
import type { RunModel } from '@crewagent/protocol/model';
import type { Settings } from '@crewagent/protocol/settings';
import type { LLMAdapter, TurnContext } from '../../llm/llm-adapter.ts';
import type { KeyGate } from '../../llm/provider/key-gate.ts';
import type { SecretStore } from '../../store/secret-store.ts';
import type { UserStore } from '../../store/store.ts';
import {
  chooseModel,
  type Environment,
  findApiKeys,
  isModelNamed,
  type ModelChoice,
} from './choose-model.ts';
import { createAdapter } from './model-adapter.ts';
import { requireModel } from './require-model.ts';
import { createKeyReader } from './stored-keys.ts';

interface AdapterParts {
  readonly store: UserStore;
  readonly env: Environment;
  readonly secrets: SecretStore;
  readonly keyGate?: KeyGate | undefined;
  readonly now: () => Date;
  readonly warn: (message: string) => void;
}

/** Opens one model with its keys, whatever the settings route to other models. */
export function createModelOpener({ store, env, secrets, keyGate, now, warn }: AdapterParts) {
  const { localModels } = store;
  const learned = store.learnedRules(now);
  const readStored = createKeyReader({ store, secrets });
  return async (used: RunModel, recording: object = {}): Promise<LLMAdapter> => {
    await requireModel(used, store);
    const keys = used.kind === 'provider' ? await findApiKeys(used, env, readStored) : undefined;
    return createAdapter(used, { keys, localModels, learned, keyGate, now, warn, ...recording });
  };
}

export function createAdapterSource(parts: AdapterParts) {
  const { store } = parts;
  const open = createModelOpener(parts);
  return async (model: RunModel, recordTo?: string, isContinued = false): Promise<LLMAdapter> => {
    const main = await open(model, { recordTo, isContinued });
    // A rehearsal, a replay and a recording use one model only.
    if (model.kind !== 'provider' || recordTo !== undefined) return main;
    const settings = await store.settings.load();
    try {
      return await openRoutes(main, settings, (name) => open(chooseModel({ model: name }, settings, {})));
    } catch (error) {
      main.close();
      throw error;
    }
  };
}

/** The choice itself if it names a model; otherwise the model of the project, if there is one. */
export async function withProjectModel(
  choice: ModelChoice,
  projectPath: string,
  { store, settings, env }: { store: UserStore; settings: Settings; env: Environment },
): Promise<ModelChoice> {
  const { projects } = settings.modelFor;
  if (
    isModelNamed(choice) ||
    env.CREWAGENT_MODEL ||
    env.CREWAGENT_BASE_URL ||
    Object.keys(projects).length === 0
  )
    return choice;
  const project = await store.projects.find(projectPath);
  const name =
    project && Object.hasOwn(projects, project.projectId) ? projects[project.projectId] : undefined;
  return name === undefined ? choice : { model: name };
}

/** Routes agents and nodes to their models. Models that are not in the settings are ignored. */
async function openRoutes(
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
