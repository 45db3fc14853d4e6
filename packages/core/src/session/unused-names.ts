/** Names of given variables that nothing in a package uses: a misspelt one would be set without any effect. */
import { CrewError } from '../base/crew-error.ts';
import { type Workflow, type WorkflowPackage, withCalled } from '../bmad/check/workflow-package.ts';
import { createSimilarFinder } from '../bmad/findings/similar-name.ts';
import type { UserStore } from '../store/store.ts';
import { pathValuesOf, readWorkflowState } from '../workflow/workflow-state.ts';

export interface UnusedNames {
  readonly names: readonly string[];
  /** What the package declares: inputs and variables. */
  readonly declared: readonly string[];
}

interface NameSources {
  readonly workflow: Workflow;
  readonly loaded: WorkflowPackage;
  readonly packageHash: string;
  readonly store: UserStore;
}

/** Undefined if all are used. Throws USAGE for an unused name that resembles a declared one. */
export async function findUnusedNames(
  given: readonly string[],
  { workflow, loaded, packageHash, store }: NameSources,
): Promise<UnusedNames | undefined> {
  if (given.length === 0) return undefined;
  const workflows = withCalled([workflow], loaded.workflows);
  const inputs = new Set(workflows.flatMap(({ typedInputs }) => typedInputs.map(({ name }) => name)));
  const nodes = workflows.flatMap((called) => [...called.nodes.values()]);
  const declared = new Set([
    ...inputs,
    ...nodes.flatMap(({ setsVariables, returns }) => [...setsVariables, ...returns]),
  ]);
  if (given.every((name) => declared.has(name))) return undefined;
  const seal = await store.packages.seal(packageHash);
  const read = (path: string): string => seal.read(path).toString('utf8');
  const used = new Set<string>();
  for (const { workflowPath } of workflows) {
    const parsed = await readWorkflowState(read(workflowPath));
    if (!parsed.ok) continue;
    for (const name of Object.keys(parsed.state.variables)) declared.add(name);
    for (const name of Object.keys(pathValuesOf(parsed.state))) used.add(name);
  }
  const texts = [
    ...new Set([...workflows.map(({ workflowPath }) => workflowPath), ...nodes.map(({ file }) => file)]),
  ].map(read);
  for (const text of [...texts, JSON.stringify([workflows.map(({ graph }) => graph), nodes, loaded.agents])])
    for (const [, inBraces, compared] of text.matchAll(USE)) used.add(inBraces ?? compared ?? '');
  const findSimilar = createSimilarFinder();
  const names = given.filter((name) => !declared.has(name) && !used.has(name));
  for (const name of names) {
    const similar = findSimilar(name, declared);
    if (similar === undefined) continue;
    const what = inputs.has(similar) ? 'input' : 'variable';
    throw new CrewError('USAGE', `There is no ${what} "${name}". Did you mean "${similar}"?`);
  }
  return names.length === 0 ? undefined : { names, declared: [...declared] };
}

/** `{name}`, `{{name}}`, and a name that a condition compares. */
const USE = /\{([A-Za-z_][\w-]*)\}|\bvariables\.([A-Za-z_][\w-]*)/g;
