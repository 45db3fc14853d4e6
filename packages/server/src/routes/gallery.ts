/** Packages to choose from, as cards: installed ones, then examples that are not. */
import {
  listInstalled,
  loadExamples,
  loadInstalled,
  readPackageHistory,
  type Store,
  type ValidationContext,
  type Workflow,
  type WorkflowNode,
  type WorkflowPackage,
} from '@crewagent/core';
import type { GalleryCard } from '@crewagent/protocol/api/packages';
import { toPackageTitle } from '@crewagent/protocol/package-title';

interface GalleryParts {
  readonly store: Store;
  readonly context: ValidationContext;
  readonly examples: Parameters<typeof loadExamples>[0];
  /** Whether the cards have graphs, most of their bytes. */
  readonly details: boolean;
  /** Whether earlier runs are read. */
  readonly history: boolean;
}

export async function listCards({
  store,
  context,
  examples,
  details,
  history,
}: GalleryParts): Promise<GalleryCard[]> {
  const [installed, bundled, past] = await Promise.all([
    listInstalled(store, { isChecked: true }),
    loadExamples(examples),
    history ? readPackageHistory(store) : undefined,
  ]);
  const loaded = await Promise.allSettled(installed.map(({ hash }) => loadInstalled(hash, store, context)));
  const cards = installed.flatMap(({ hash }, index): GalleryCard[] => {
    const found = loaded[index];
    // A damaged package is listed apart, with what can be done about it.
    return found?.status === 'fulfilled' ? [{ hash, ...toCard(found.value, details) }] : [];
  });
  const others = bundled
    .filter(({ installedHash }) => installedHash === undefined)
    .map(({ example, loaded: found }): GalleryCard => ({ example, ...toCard(found, details) }));
  return [...cards, ...others].map((card) => ({ ...card, history: past?.get(card.name) }));
}

function toCard(
  { manifest: { name, version, description }, about, agents, workflows }: WorkflowPackage,
  details: boolean,
) {
  const [first] = workflows;
  return {
    title: toPackageTitle({ name, title: about?.title }, workflows),
    ...{ name, version, description },
    agents: agents.length,
    workflows: workflows.length,
    graph: details && first ? toShownGraph(first) : undefined,
  };
}

export function toShownGraph(workflow: Workflow) {
  return {
    workflow: toShownWorkflow(workflow),
    entryNodeId: workflow.graph.entryNodeId,
    nodes: [...workflow.nodes.values()].map(toShownNode),
    edges: workflow.graph.edges,
  };
}

export function toShownWorkflow({ ref, title, description, nodes }: Workflow) {
  return { ref, title, description, nodes: nodes.size };
}

export function toShownNode(node: WorkflowNode) {
  const { id, type, title, agentId, inputs, outputs, setsVariables, subworkflow } = node;
  return {
    ...{ id, type, title, agentId, subworkflow },
    ...{ inputs: [...inputs], outputs: [...outputs], setsVariables: [...setsVariables] },
  };
}
