/** Edits of agents.json, and of the nodes that name an agent. Pure. */
import type { AuthorEditOf } from '@crewagent/protocol/author';
import { isObject, textOf } from '@crewagent/protocol/json-object';
import { toPackagePath } from '../bmad/check/workflow-package.ts';
import { type Fields, withFields } from './fields.ts';
import { stepFileOf } from './graph-document.ts';
import { type PackageTexts, refused } from './package-texts.ts';

/** Path of agents.json; undefined if the manifest does not say. */
export function agentsFileOf(manifest: unknown): string | undefined {
  const entry = isObject(manifest) && isObject(manifest.entry) ? manifest.entry : {};
  const path = textOf(entry.agents);
  return path === undefined ? undefined : toPackagePath(path);
}

export function addAgent(texts: PackageTexts, { id, name, title, icon }: AuthorEditOf<'addAgent'>): void {
  editAgents(texts, (agents) => {
    checkFreeAgent(agents, id);
    const persona = {
      role: title,
      identity: `${name} is a ${title}.`,
      communication_style: 'Brief and concrete.',
      principles: ['Ask when something is unclear.'],
    };
    return [...agents, { id, metadata: { name, title, icon }, persona }];
  });
}

function checkFreeAgent(agents: readonly Fields[], id: string): void {
  if (agents.some((agent) => agent.id === id))
    throw refused(`There is already an agent "${id}". Choose another id.`);
}

export function setAgent(texts: PackageTexts, { agentId, fields }: AuthorEditOf<'setAgent'>): void {
  const { metadata, persona, ...rest } = fields;
  editAgents(texts, (agents) =>
    replaceAgent(agents, agentId, (agent) =>
      withFields(agent, {
        ...rest,
        metadata: metadata && withFields(toFields(agent.metadata), metadata),
        persona: persona && withFields(toFields(agent.persona), persona),
      }),
    ),
  );
}

export async function renameAgent(
  texts: PackageTexts,
  { agentId, to }: AuthorEditOf<'renameAgent'>,
  graphs: readonly string[],
): Promise<void> {
  if (to === agentId) return;
  editAgents(texts, (agents) => {
    checkFreeAgent(agents, to);
    return replaceAgent(agents, agentId, (agent) => ({ ...agent, id: to }));
  });
  for (const path of graphs) {
    const value = texts.readJson(path);
    const nodes = Array.isArray(value.nodes) ? value.nodes.map(toFields) : [];
    const named = nodes.map((node) => (node.agentId === agentId ? { ...node, agentId: to } : node));
    if (nodes.some((node) => node.agentId === agentId)) texts.writeJson(path, { ...value, nodes: named });
    for (const file of new Set(nodes.map(stepFileOf)))
      if ((await texts.readStep(file))?.agentId === agentId) await texts.writeStep(file, { agentId: to });
  }
}

/** Nodes that name the agent get a finding. */
export function deleteAgent(texts: PackageTexts, { agentId }: AuthorEditOf<'deleteAgent'>): void {
  editAgents(texts, (agents) => {
    const left = replaceAgent(agents, agentId, () => undefined);
    if (left.length === 0) throw refused('A package has at least one agent. Add another one first.');
    return left;
  });
}

function editAgents(texts: PackageTexts, edit: (agents: readonly Fields[]) => readonly Fields[]): void {
  const path = agentsFileOf(texts.readJson('bmad.json')) ?? 'agents.json';
  const value = texts.readJson(path);
  const { agents } = value;
  if (!Array.isArray(agents) || !agents.every(isObject))
    throw refused(`"${path}" has no list of agents. Correct its text first.`);
  texts.writeJson(path, { ...value, agents: edit(agents) });
}

function replaceAgent(
  agents: readonly Fields[],
  agentId: string,
  edit: (agent: Fields) => Fields | undefined,
): Fields[] {
  if (!agents.some((agent) => agent.id === agentId))
    throw refused(`There is no agent "${agentId}". It may have been removed meanwhile.`);
  return agents.flatMap((agent) => {
    const after = agent.id === agentId ? edit(agent) : agent;
    return after ? [after] : [];
  });
}

function toFields(value: unknown): Fields {
  return isObject(value) ? value : {};
}
