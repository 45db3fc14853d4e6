/**
 * A package with two agents, a decision and an end: small enough to script, with every kind of transition.
 */
import documents from './branching-package.json' with { type: 'json' };
import { type FileTree, first, samplePackage, step, workflow } from './sample-package.ts';

/** step-01 (ann) → decide-02 (ann) → step-03 (bob) or back to step-01 → end-99 (ann). */
export function branchingPackage(files: Record<string, string> = {}): FileTree {
  const { bob, nodes, edges } = documents;
  return samplePackage(
    ({ agents, graph }) => {
      first(agents.agents).id = 'ann';
      agents.agents.push(bob);
      Object.assign(graph, { nodes, edges });
    },
    {
      'workflow.md': workflow('variables: {}\ndecisionLog: []\nartifacts: []\n'),
      'steps/decide-02.md': step('decide-02', 'decision'),
      'steps/step-03.md': step('step-03'),
      ...files,
    },
  );
}
