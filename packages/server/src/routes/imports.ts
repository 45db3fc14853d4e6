/**
 * Imports: converted in a staging folder, looked at, rehearsed, installed or discarded.
 */
import { CrewError, type RehearsalReport, resolveWorkflow, type StagedImport } from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import type { ImportRehearsal, ShownImport } from '@crewagent/protocol/api/imports';
import { mount, type Router } from '../mount.ts';
import type { ServerParts } from '../server-parts.ts';
import { toShownGraph } from './gallery.ts';
import { toInspected } from './packages.ts';

export function mountImports(router: Router, { stagedImports }: ServerParts): void {
  const { imports } = ENDPOINTS;
  mount(router, imports.upload, async ({ body, query: { name } }) =>
    toShown(await stagedImports.receive({ chunks: body, name })),
  );
  mount(router, imports.openPath, async ({ body: { path } }) => toShown(await stagedImports.open(path)));
  mount(router, imports.graph, async ({ params: { importId }, query: { workflow } }) => {
    const { package: loaded } = stagedImports.get(importId).inspection;
    if (!loaded) throw new CrewError('NOT_FOUND', 'The converted package is invalid and has no graph.');
    return toShownGraph(resolveWorkflow(loaded, workflow));
  });
  mount(router, imports.rehearse, async ({ params: { importId }, query: { as }, signal }) =>
    toRehearsal(await stagedImports.rehearse(importId, { as, signal })),
  );
  mount(router, imports.progress, async ({ params: { importId } }) => {
    const steps = stagedImports.rehearsalProgress(importId);
    return { steps };
  });
  mount(router, imports.install, ({ params: { importId } }) => stagedImports.install(importId));
  mount(router, imports.discard, ({ params: { importId } }) => stagedImports.discard(importId));
}

function toShown({ importId, report, inspection }: StagedImport): ShownImport {
  return { importId, report, inspected: toInspected(report.source.name, inspection) };
}

export function toRehearsal({ ok, workflows, trials }: RehearsalReport): ImportRehearsal {
  return {
    ok,
    workflows: workflows.map(({ ref, title, ok: isOk, nodes, edges }) => ({
      ref,
      title,
      ok: isOk,
      nodes,
      edges,
    })),
    trials: [...trials],
  };
}
