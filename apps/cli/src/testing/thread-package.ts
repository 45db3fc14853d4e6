/**
 * A small package whose agent has a menu with one item of each kind, and one that cannot be executed.
 */
import { first, samplePackage } from '../../../../packages/core/src/testing/packages/sample-package.ts';
import type { CliRig } from './cli-rig.ts';

export const MENU = [
  { trigger: 'go', description: 'Follow the workflow', workflow: 'workflow.md' },
  { trigger: 'check', description: 'Check what there is', action: '#check' },
  { trigger: 'review', description: 'Review by the script', exec: 'tasks/review.md' },
  { trigger: 'load', description: 'Look at data that is missing', action: '#check', data: 'data/none.csv' },
];

export function writeThreadPackage(rig: CliRig, name = 'talk'): Promise<string> {
  const files = samplePackage(
    ({ bmad, agents }) => {
      bmad.name = name;
      const agent = first(agents.agents);
      agent.menu = MENU;
      agent.prompts = [{ id: 'check', description: 'Checks', content: 'Say what is in the project.' }];
      agents.agents.push({
        ...agent,
        id: 'other',
        metadata: { name: 'Otto', title: 'Other', icon: 'O' },
        menu: [],
      });
    },
    { 'tasks/review.md': '# Review\n\nLook at everything.\n' },
  );
  return rig.write(name, files);
}
