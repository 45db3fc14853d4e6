/** A package as an editor shows it: its documents as far as they can be read. Pure. */
import type { AuthorAgent, AuthorModel, AuthorNode, AuthorWorkflow } from '@crewagent/protocol/author';
import { isObject, textOf } from '@crewagent/protocol/json-object';
import { workflowGraphSchema } from '@crewagent/protocol/workflow';
import { parseLeniently } from '../bmad/check/read-document.ts';
import { agentsFileOf } from './edit-agents.ts';
import type { Fields } from './fields.ts';
import { stepFileOf } from './graph-document.ts';
import { listWorkflows, type WorkflowFiles } from './list-workflows.ts';
import type { PackageTexts } from './package-texts.ts';
import { parseJson } from './patch-json.ts';

type Contents = Pick<AuthorModel, 'name' | 'version' | 'agentsFile' | 'agents' | 'workflows'>;

export async function toModel(texts: PackageTexts): Promise<Contents> {
  const manifest = toFields(parseJson(texts.find('bmad.json') ?? '')?.value);
  const agentsFile = agentsFileOf(manifest) ?? 'agents.json';
  const workflows: AuthorWorkflow[] = [];
  for (const files of listWorkflows(texts)) workflows.push(await toWorkflow(texts, files));
  return {
    name: textOf(manifest.name) ?? '',
    version: textOf(manifest.version) ?? '',
    agentsFile,
    agents: toAgents(parseJson(texts.find(agentsFile) ?? '')?.value),
    workflows,
  };
}

function toAgents(document: unknown): AuthorAgent[] {
  const { agents } = toFields(document);
  return (Array.isArray(agents) ? agents : []).flatMap((value: unknown) => {
    const id = isObject(value) ? textOf(value.id) : undefined;
    return isObject(value) && id !== undefined ? [{ id, value }] : [];
  });
}

async function toWorkflow(texts: PackageTexts, files: WorkflowFiles): Promise<AuthorWorkflow> {
  const value = parseJson(texts.find(files.graph) ?? '')?.value;
  const graph = parseLeniently(workflowGraphSchema, value);
  const document = toFields(await texts.readStep(files.document));
  const nodes: AuthorNode[] = [];
  for (const node of graph.nodes) {
    const step = await texts.readStep(stepFileOf(node));
    nodes.push({
      id: node.id,
      type: node.type,
      file: stepFileOf(node),
      title: node.title ?? textOf(step?.title),
      description: node.description,
      agentId: node.agentId ?? textOf(step?.agentId),
      inputs: node.inputs ?? toTexts(step?.inputs),
      outputs: node.outputs ?? toTexts(step?.outputs),
      setsVariables: toTexts(step?.setsVariables),
      step,
    });
  }
  return {
    ...files,
    entryNodeId: graph.entryNodeId,
    nodes,
    edges: graph.edges.map(({ from, to, label, isDefault, conditionText, conditionExpr }) => ({
      ...{ from, to, label, isDefault, conditionText, conditionExpr },
    })),
    variables: Object.keys(toFields(document.variables)),
  };
}

function toFields(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function toTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.flatMap((item: unknown) => textOf(item) ?? []) : [];
}
