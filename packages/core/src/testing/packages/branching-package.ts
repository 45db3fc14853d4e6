/**
 * A package with two agents, a decision and an end: small enough to script, with every kind of transition.
 */
import { type FileTree, first, samplePackage, step, workflow } from './sample-package.ts';

/** step-01 (ann) → decide-02 (ann) → step-03 (bob) or back to step-01 → end-99 (ann). */
export function branchingPackage(files: Record<string, string> = {}): FileTree {
  return samplePackage(
    ({ agents, graph }) => {
      const ann = first(agents.agents);
      ann.id = 'ann';
      agents.agents.push({
        id: 'bob',
        metadata: { name: 'Bob', title: 'Builder', icon: 'B' },
        persona: { role: 'builds', identity: 'i', communication_style: 'c', principles: 'p' },
        critical_actions: ['Measure twice.'],
        tools: { fs: { maxReadBytes: 2_000 } },
      });
      graph.nodes = [
        { id: 'step-01', type: 'step', file: 'steps/step-01.md', outputs: ['artifacts/{key}.md'] },
        { id: 'decide-02', type: 'decision', file: 'steps/decide-02.md' },
        { id: 'step-03', type: 'step', file: 'steps/step-03.md', agentId: 'bob' },
        { id: 'end-99', type: 'end', file: 'steps/end-99.md' },
      ];
      graph.edges = [
        { from: 'step-01', to: 'decide-02', label: 'next' },
        { from: 'decide-02', to: 'step-03', label: 'forward', isDefault: true },
        { from: 'decide-02', to: 'step-01', label: 'again' },
        { from: 'step-03', to: 'end-99', label: 'next' },
      ];
    },
    {
      'workflow.md': workflow('variables: {}\ndecisionLog: []\nartifacts: []\n'),
      'steps/decide-02.md': step('decide-02', 'decision'),
      'steps/step-03.md': step('step-03'),
      ...files,
    },
  );
}
