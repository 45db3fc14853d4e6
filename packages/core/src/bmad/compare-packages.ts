/**
 * Compares two versions of a package: workflows, nodes, edges, inputs and agents, and says the difference in sentences. A node is
 * the same if its id is; where an id is gone, a new node with its text or its title counts as renamed.
 */
import type {
  NamedChanges,
  NodeRename,
  PackageChanges,
  WorkflowChanges,
} from '@crewagent/protocol/package-changes';
import { sha256Of } from '../base/sha256.ts';
import { isSameValue } from '../workflow/same-value.ts';
import { splitFrontmatter } from '../workflow/split-frontmatter.ts';
import type { Workflow, WorkflowNode, WorkflowPackage } from './check/workflow-package.ts';

/** A package with the texts of its steps, so that it can be compared after its files have changed. */
export interface PackageVersion {
  readonly package: WorkflowPackage;
  /** By path of the step: hash of its text without the frontmatter, whose keys are part of the node. */
  readonly texts: ReadonlyMap<string, string>;
}

export async function toPackageVersion(
  loaded: WorkflowPackage,
  read: (path: string) => Promise<Uint8Array>,
): Promise<PackageVersion> {
  const files = new Set(loaded.workflows.flatMap(({ nodes }) => [...nodes.values()].map(({ file }) => file)));
  const texts = new Map<string, string>();
  for (const file of files) {
    const text = Buffer.from(await read(file)).toString('utf8');
    const split = splitFrontmatter(text);
    texts.set(file, sha256Of((split.ok ? split.body : text).trim()));
  }
  return { package: loaded, texts };
}

export function comparePackages(before: PackageVersion, after: PackageVersion): PackageChanges {
  const [old, now] = [before.package, after.package];
  const byRef = new Map(old.workflows.map((workflow) => [workflow.ref, workflow]));
  const changed = now.workflows.flatMap((workflow) => {
    const earlier = byRef.get(workflow.ref);
    return earlier ? [compareWorkflows({ before, after }, earlier, workflow)] : [];
  });
  const refs = compareNamed(
    old.workflows.map(({ ref }) => [ref, ref]),
    now.workflows.map(({ ref }) => [ref, ref]),
  );
  return {
    from: old.manifest.version,
    to: now.manifest.version,
    workflows: { added: refs.added, removed: refs.removed, changed: changed.filter(hasChanges) },
    agents: compareNamed(
      old.agents.map((agent) => [agent.id, agent]),
      now.agents.map((agent) => [agent.id, agent]),
    ),
  };
}

interface Versions {
  readonly before: PackageVersion;
  readonly after: PackageVersion;
}

export function compareWorkflows(versions: Versions, before: Workflow, after: Workflow): WorkflowChanges {
  const facts = ({ texts }: PackageVersion, { nodes }: Workflow): [string, unknown][] =>
    [...nodes.values()].map(({ file, title: _, ...node }) => [node.id, { ...node, text: texts.get(file) }]);
  const nodes = compareNamed(facts(versions.before, before), facts(versions.after, after));
  const renamed = findRenames(versions, before, after, nodes);
  const edgesOf = ({ graph }: Workflow): [string, string][] =>
    graph.edges.map(({ from, to, label }) => [`${from} → ${to} (${label})`, '']);
  const edges = compareNamed(edgesOf(before), edgesOf(after));
  return {
    id: after.ref,
    nodes: {
      added: nodes.added.filter((id) => !renamed.some(({ to }) => to === id)),
      removed: nodes.removed.filter((id) => !renamed.some(({ from }) => from === id)),
      changed: nodes.changed,
      renamed,
    },
    edges: { added: edges.added, removed: edges.removed },
    inputs: compareNamed(
      before.typedInputs.map((input) => [input.name, input]),
      after.typedInputs.map((input) => [input.name, input]),
    ),
  };
}

type Named = readonly (readonly [name: string, value: unknown])[];

function compareNamed(before: Named, after: Named): NamedChanges {
  const [old, now] = [new Map(before), new Map(after)];
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    changed: [...now].flatMap(([name, value]) =>
      old.has(name) && !isSameValue(old.get(name), value) ? [name] : [],
    ),
  };
}

/** Pairs each removed node with the only added node that has the same text, else the same title. */
function findRenames(
  { before, after }: Versions,
  { nodes: old }: Workflow,
  { nodes: now }: Workflow,
  { added, removed }: NamedChanges,
): NodeRename[] {
  const keys: ((node: WorkflowNode, version: PackageVersion) => string | undefined)[] = [
    ({ file }, { texts }) => texts.get(file),
    ({ title, id }) => (title === id ? undefined : title),
  ];
  const renames: NodeRename[] = [];
  for (const keyOf of keys) {
    const free = (ids: readonly string[], side: 'from' | 'to'): string[] =>
      ids.filter((id) => !renames.some((rename) => rename[side] === id));
    const targets = groupBy(free(added, 'to'), now, (node) => keyOf(node, after));
    const origins = groupBy(free(removed, 'from'), old, (node) => keyOf(node, before));
    for (const [key, [from, ...others]] of origins) {
      const [to, ...more] = targets.get(key) ?? [];
      if (from !== undefined && to !== undefined && others.length + more.length === 0)
        renames.push({ from, to });
    }
  }
  return renames;
}

function groupBy(
  ids: readonly string[],
  nodes: ReadonlyMap<string, WorkflowNode>,
  keyOf: (node: WorkflowNode) => string | undefined,
): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const id of ids) {
    const node = nodes.get(id);
    const key = node && keyOf(node);
    if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), id]);
  }
  return groups;
}

function hasChanges({ nodes, edges, inputs }: WorkflowChanges): boolean {
  return [...Object.values(nodes), ...Object.values(edges), ...Object.values(inputs)].some(
    ({ length }) => length > 0,
  );
}

/** The ref of the workflow of a package that lists none. */
const ONLY_WORKFLOW = 'workflow.md';

/** One sentence for each kind of change, in the order in which a person reads them; empty if nothing changed. */
export function describeChanges({ workflows, agents }: PackageChanges): string[] {
  return [
    ...describeNamed('Workflow', { ...workflows, changed: [] }),
    ...workflows.changed.flatMap(({ id, nodes, edges, inputs }) =>
      [
        ...describeNamed('Step', nodes),
        ...nodes.renamed.map(({ from, to }) => `Step renamed: ${from} is now ${to}.`),
        ...describeNamed('Edge', { ...edges, changed: [] }),
        ...describeNamed('Question', inputs),
      ].map((sentence) => (id === ONLY_WORKFLOW ? sentence : `${id}: ${sentence}`)),
    ),
    ...describeNamed('Agent', agents),
  ];
}

function describeNamed(noun: string, changes: NamedChanges): string[] {
  return (['added', 'removed', 'changed'] as const).flatMap((kind) => {
    const names = changes[kind];
    return names.length === 0
      ? []
      : [`${noun}${names.length === 1 ? '' : 's'} ${kind}: ${listNames(names)}.`];
  });
}

const SHOWN = 8;

function listNames(names: readonly string[]): string {
  const more = names.length - SHOWN;
  return names.slice(0, SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
