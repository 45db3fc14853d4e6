/** Runs in one file: exporting, opening and continuing them. The seam of this folder. */
import { basename } from 'node:path';
import type { Project } from '@crewagent/protocol/project';
import { createUuidV7 } from '../base/uuid-v7.ts';
import { type Adopted, finishAdoptions } from '../transfer/adoptions.ts';
import {
  type AdoptDeps,
  type AdoptRequest,
  adoptBundle,
  completeAdoption,
  type PlannedProject,
  planAdoption,
  toProject,
} from './adopt-bundle.ts';
import { type ExportRequest, exportBundle } from './export-bundle.ts';
import { type OpenedBundle, openBundle } from './open-bundle.ts';
import { createStagedBundles } from './staged-bundles.ts';

export type Bundles = ReturnType<typeof createBundles>;

/** How the person chooses where a run goes: a folder, or a project. */
export type ChosenProject = { readonly path: string } | { readonly projectId: string };

export function createBundles(deps: AdoptDeps) {
  const { projects } = deps.store;
  const { now } = deps;
  const newId = createUuidV7(now);
  const find = (opened: OpenedBundle, chosen: ChosenProject): Promise<Project> =>
    toProject(
      opened,
      () => ('path' in chosen ? projects.open(chosen.path, { now, newId }) : projects.read(chosen.projectId)),
      deps,
    );
  /** A folder that is only looked at is not a project afterwards. */
  const look = (opened: OpenedBundle, chosen: ChosenProject): Promise<PlannedProject> =>
    toProject<PlannedProject>(
      opened,
      async () => {
        if ('projectId' in chosen) return projects.read(chosen.projectId);
        const { path } = chosen;
        return (await projects.find(path)) ?? { projectId: newId(), path, name: basename(path) };
      },
      deps,
    );
  /** Completes adoptions that a process did not complete. */
  const finish = (say?: (message: string) => void): Promise<void> =>
    finishAdoptions(deps.adoptions, completeAdoption(deps), ({ workId }, { from }) =>
      say?.(
        `The run ${workId.slice(-8)} from ${from} is here: what an interrupted command had begun is complete.`,
      ),
    );
  const bundles = {
    export: (request: ExportRequest) => exportBundle(request, deps),
    /** Verifies all of it. Close it afterwards. */
    async open(file: string, askPassphrase: () => Promise<string>): Promise<OpenedBundle> {
      await finish();
      return openBundle(file, askPassphrase, deps);
    },
    plan: async (opened: OpenedBundle, chosen: ChosenProject, model?: string) =>
      planAdoption(opened, await look(opened, chosen), model, deps),
    adopt: async (
      opened: OpenedBundle,
      {
        chosen,
        file,
        ...request
      }: Omit<AdoptRequest, 'project' | 'from'> & {
        readonly chosen: ChosenProject;
        readonly file: string;
      },
    ): Promise<Adopted> =>
      adoptBundle(opened, { ...request, from: basename(file), project: await find(opened, chosen) }, deps),
    finish,
  };
  return { ...bundles, stage: () => createStagedBundles(deps.store, bundles) };
}
