/**
 * Packages: install, inspect, remove.
 */
import { basename, isAbsolute } from 'node:path';
import {
  type AddressInspection,
  addPackage,
  CrewError,
  type Inspection,
  importUpload,
  inspectAddress,
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
  showPackage,
  showPrompt,
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
  mount(router, packages.importPath, async ({ body: { path: address, ...request } }) =>
    addPackage({ address, ...request }, { store, context, env: process.env }),
  );
  mount(
    router,
    packages.upload,
    async ({ body, query: { name = 'upload.bmad', acceptsSigner } }) =>
      await importUpload({ chunks: body, name }, { store, context, acceptsSigner }),
  );
  mount(router, packages.validate, async ({ body: { path } }) =>
    toReport(path, (await inspectPackage(path, context)).diagnostics),
  );
  mount(router, packages.inspect, async ({ body: { path } }) =>
    toInspected(path, await inspectAddress(path, { store, context, env: process.env })),
  );
  mount(router, packages.inspectUpload, async ({ body, query: { name = 'upload.bmad' } }) =>
    toInspected(name, await inspectUpload({ chunks: body, name }, { store, context })),
  );
  mount(router, packages.gallery, async ({ viewer, query: { details = false } }) => ({
    // The figures of a package are about the runs of all projects.
    cards: await listCards({ store, context, examples, details, history: details && !viewer.projects }),
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
    const { package: installed, source, signer, loaded } = await showPackage(hash, { store, context });
    // Nor does any other response contain a path of this machine.
    const shownSource = source !== undefined && isAbsolute(source) ? basename(source) : source;
    return { package: installed, source: shownSource, signer, ...toContents(loaded) };
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
  mount(router, packages.prompt, async ({ params: { hash, nodeId }, query: { workflow } }) =>
    showPrompt({ package: hash, workflow, nodeId, store, context }),
  );
  mount(router, packages.remove, ({ params, query: { force = false } }) =>
    removeInstalled(store, params.hash, { force }),
  );
}

export function toInspected(
  path: string,
  { diagnostics, package: loaded, archive, changes }: Inspection & Partial<AddressInspection>,
): InspectedPackage {
  const report = toReport(path, diagnostics);
  if (!loaded) return { report };
  const { name, version, description } = loaded.manifest;
  const summary = { name, version, description };
  return { report, archive, changes, contents: { ...summary, ...toContents(loaded) } };
}

function toContents({ manifest, about, agents, workflows }: WorkflowPackage) {
  return {
    author: manifest.author,
    about,
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
