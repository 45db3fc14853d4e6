/** What a host can start: the workflows of installed packages and of the examples, with the menus of their agents. */
import {
  CrewError,
  ifPossible,
  installExample,
  listInstalled,
  loadExamples,
  loadInstalled,
  type Runtime,
  type ValidationContext,
  type WorkflowPackage,
} from '@crewagent/core';

export interface CatalogueOptions {
  readonly runtime: Pick<Runtime, 'store'>;
  readonly context: ValidationContext;
  readonly examplesRoot: string | undefined;
}

export interface CataloguePackage {
  /** As it is named in `start_workflow`. */
  readonly name: string;
  readonly version: string;
  readonly isExample: boolean;
  readonly loaded: WorkflowPackage;
}

export type Catalogue = ReturnType<typeof createCatalogue>;

export function createCatalogue({ runtime: { store }, context, examplesRoot }: CatalogueOptions) {
  const known = new Map<string, Promise<WorkflowPackage | undefined>>();
  /** A package that cannot be loaded is not offered; `crewagent packages` says why. */
  const load = (hash: string): Promise<WorkflowPackage | undefined> => {
    const loaded = known.get(hash) ?? ifPossible(loadInstalled(hash, store, context));
    known.set(hash, loaded);
    return loaded;
  };
  let examples: ReturnType<typeof loadExamples> | undefined;
  const list = async (): Promise<CataloguePackage[]> => {
    const found = new Map<string, CataloguePackage>();
    for (const { hash, name, version } of await listInstalled(store)) {
      const loaded = found.has(name) ? undefined : await load(hash);
      if (loaded) found.set(name, { name, version, isExample: false, loaded });
    }
    examples ??= loadExamples({ folder: examplesRoot, store, context });
    for (const { example, loaded } of await examples) {
      const { name, version } = loaded.manifest;
      if (!found.has(name) && !found.has(example))
        found.set(example, { name: example, version, isExample: true, loaded });
    }
    return [...found.values()];
  };
  return {
    list,
    /** The reference of a package to start; an example is installed first. */
    async resolve(name: string): Promise<string> {
      const offered = (await list()).find((each) => each.name === name);
      // A path would be a way to run any file.
      if (!offered)
        throw new CrewError(
          'PACKAGE_NOT_FOUND',
          `There is no package "${name.slice(0, 100)}"; see list_workflows.`,
        );
      if (!offered.isExample) return name;
      await installExample(name, { folder: examplesRoot, store, context });
      return offered.loaded.manifest.name;
    },
  };
}
