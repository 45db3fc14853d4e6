/**
 * Packages: install, inspect, remove.
 */
import {
  CrewError,
  type Inspection,
  importPackage,
  importUpload,
  inspectPackage,
  inspectUpload,
  installExample,
  listExamples,
  listInstalled,
  loadInstalled,
  readStep,
  removeInstalled,
  resolveInstalled,
  resolveWorkflow,
  toReport,
  type Workflow,
  type WorkflowPackage,
} from '@crewagent/core';
import type { AgentDefinition } from '@crewagent/protocol/agents';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import type { InspectedPackage } from '@crewagent/protocol/api/packages';
import { mount, type Router } from '../mount.ts';
import type { ServerParts } from '../server-parts.ts';
import { listCards, toShownGraph, toShownNode, toShownWorkflow } from './gallery.ts';

export function mountPackages(
  router: Router,
  { runtime: { store }, context, examplesRoot }: ServerParts,
): void {
  const { packages } = ENDPOINTS;
  const examples = { folder: examplesRoot, store, context };
  const workflowOf = async (hash: string, ref: string | undefined): Promise<Workflow> =>
    resolveWorkflow(await loadInstalled(hash, store, context), ref);

  mount(router, packages.list, async () => ({ packages: await listInstalled(store, { isChecked: true }) }));
  mount(router, packages.importPath, async ({ body }) => await importPackage(body.path, store, context));
  mount(
    router,
    packages.upload,
    async ({ body, query: { name = 'upload.bmad' } }) =>
      await importUpload({ chunks: body, name }, { store, context }),
  );
  mount(router, packages.validate, async ({ body: { path } }) =>
    toReport(path, (await inspectPackage(path, context)).diagnostics),
  );
  mount(router, packages.inspect, async ({ body: { path } }) =>
    toInspected(path, await inspectPackage(path, context)),
  );
  mount(router, packages.inspectUpload, async ({ body, query: { name = 'upload.bmad' } }) =>
    toInspected(name, await inspectUpload({ chunks: body, name }, { store, context })),
  );
  mount(router, packages.gallery, async ({ viewer, query: { history = false } }) => ({
    // The figures of a package are about the runs of all projects.
    cards: await listCards({ store, context, examples, history: history && !viewer.projects }),
  }));
  mount(router, packages.examples, async () => ({ examples: await listExamples(examples) }));
  mount(
    router,
    packages.installExample,
    async ({ params: { example } }) => await installExample(example, examples),
  );
  mount(router, packages.users, async ({ params: { hash } }) => {
    await resolveInstalled(store, hash);
    const { runs, conversations, projectIds } = await store.packages.users(hash);
    const projects = (await store.projects.list()).filter(({ projectId }) => projectIds.has(projectId));
    return {
      runs: runs.length,
      conversations: conversations.length,
      projects: projects.map(({ name }) => name),
    };
  });
  mount(router, packages.show, async ({ params: { hash } }) => {
    const installed = await resolveInstalled(store, hash);
    return {
      package: installed,
      ...toContents(await loadInstalled(hash, store, context, { isWhole: true })),
    };
  });
  mount(router, packages.validation, async ({ params: { hash } }) => {
    const { name, version } = await resolveInstalled(store, hash);
    const { diagnostics } = await inspectPackage(store.packages.folder(hash), context, {
      isInstalled: true,
    });
    return toReport(`${name}@${version}`, diagnostics);
  });
  mount(router, packages.graph, async ({ params, query }) =>
    toShownGraph(await workflowOf(params.hash, query.workflow)),
  );
  mount(router, packages.node, async ({ params: { hash, nodeId }, query }) => {
    const { nodes, title } = await workflowOf(hash, query.workflow);
    const node = nodes.get(nodeId);
    if (!node) throw new CrewError('NOT_FOUND', `"${title}" has no node "${nodeId}".`);
    return {
      node: toShownNode(node),
      text: await readStep(store, hash, node),
    };
  });
  mount(router, packages.remove, ({ params, query: { force = false } }) =>
    removeInstalled(store, params.hash, { force }),
  );
}

export function toInspected(path: string, { diagnostics, package: loaded }: Inspection): InspectedPackage {
  const report = toReport(path, diagnostics);
  if (!loaded) return { report };
  const { name, version, description } = loaded.manifest;
  const summary = { name, version, description };
  return { report, contents: { ...summary, ...toContents(loaded) } };
}

function toContents({ manifest, agents, workflows }: WorkflowPackage) {
  return {
    author: manifest.author,
    requiresNetwork: manifest.runtime?.requiresNetwork ?? false,
    agents: agents.map(toShownAgent),
    workflows: workflows.map(toShownWorkflow),
  };
}

function toShownAgent({ id, metadata, menu = [], tools }: AgentDefinition) {
  const { name, title, icon, description } = metadata;
  return {
    id,
    name,
    title,
    icon,
    description,
    menu: menu.map((item) => ({
      trigger: item.trigger,
      description: item.description,
    })),
    tools: {
      fs: tools?.fs?.enabled ?? true,
      servers: tools?.mcp?.enabled ? (tools.mcp.allowedServers ?? []) : [],
    },
  };
}
