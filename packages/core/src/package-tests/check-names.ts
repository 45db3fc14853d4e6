/** Names in a test that its package does not have: a misspelt node would be awaited, chosen or excluded without any effect. Pure. */
import type { PackageTest, TestFailure } from '@crewagent/protocol/package-tests';
import { BUILTIN_TOOLS, effectKindOf } from '@crewagent/protocol/tool-effects';
import type { Workflow } from '../bmad/check/workflow-package.ts';
import { suggestName } from '../bmad/findings/similar-name.ts';
import { edgesByOrigin } from '../workflow/graph.ts';
import { fail, toToolName } from './judge-run.ts';

/** `workflows`: of the package; the run may call any of them. */
export function checkNames(
  { start, answers, choose, expect }: PackageTest,
  workflow: Workflow,
  workflows: readonly Workflow[],
): TestFailure[] {
  const own = new Set(workflow.nodes.keys());
  const all = new Set(workflows.flatMap(({ nodes }) => [...nodes.keys()]));
  const { path = [], visits = [], neverVisits = [], heard = [], proved, neverCalls = [] } = expect;
  const named = { path, visits, neverVisits, heard, proved: Array.isArray(proved) ? proved : [] };
  const required = (expected: string, nodes: readonly (string | undefined)[], known: ReadonlySet<string>) =>
    [...new Set(nodes)].flatMap((node) =>
      node === undefined || known.has(node)
        ? []
        : [fail(expected, `The workflow has no node "${node}".${suggestName(node, known)}`)],
    );
  return [
    ...required('start', [start], own),
    ...required(
      'answers',
      answers.map(({ node }) => node),
      all,
    ),
    ...required('choose', Object.keys(choose), all),
    ...Object.entries(named).flatMap(([expected, nodes]) => required(expected, nodes, all)),
    ...checkChoices(choose, workflows),
    ...checkTools(neverCalls),
  ];
}

function checkTools(names: readonly string[]): TestFailure[] {
  const known = new Set(BUILTIN_TOOLS.map(toToolName));
  return [...new Set(names)].flatMap((name) => {
    const isKnown =
      known.has(toToolName(name)) || effectKindOf(name) === 'external' || /^(?:mcp_|shell_run$)/.test(name);
    return isKnown
      ? []
      : [fail('neverCalls', `There is no tool "${name}".${suggestName(name, BUILTIN_TOOLS)}`)];
  });
}

function checkChoices(choose: PackageTest['choose'], workflows: readonly Workflow[]): TestFailure[] {
  const outgoing = workflows.map(({ graph }) => edgesByOrigin(graph));
  return Object.entries(choose).flatMap(([node, chosen]) => {
    const edges = outgoing.flatMap((edgesOf) => edgesOf.get(node) ?? []);
    const names = edges.flatMap(({ label, to }) => [label, to]);
    if (edges.length === 0 || names.includes(chosen)) return [];
    const labels = edges.map(({ label }) => `"${label}"`).join(', ');
    return [fail('choose', `"${node}" has no edge "${chosen}". Its edges are ${labels}.`)];
  });
}
