/**
 * A package whose agent has a menu with every kind of item.
 */
import { type FileTree, first, samplePackage, step } from './sample-package.ts';

export function threadPackage(files: Record<string, string> = {}): FileTree {
  return samplePackage(
    ({ agents, graph }) => {
      Object.assign(first(agents.agents), {
        prompts: [{ id: 'check', description: 'Check it', content: 'Check the newest story for gaps.' }],
        menu: [
          { trigger: 'go', description: 'Start the sample', workflow: 'workflow.md' },
          {
            trigger: 'go-data',
            description: 'Start with stories',
            workflow: 'workflow.md',
            data: 'data/stories.csv',
          },
          {
            trigger: 'review',
            description: 'Review the readme',
            exec: 'tasks/review.md',
            data: 'data/notes.txt',
          },
          { trigger: 'check', description: 'Look for gaps', action: '#check' },
          { trigger: 'greet', description: 'Say hello', action: 'Greet the person in one sentence.' },
          {
            trigger: 'lost',
            description: 'Needs what is not there',
            workflow: 'workflow.md',
            data: 'data/none.json',
          },
          { trigger: 'gone', description: 'A script that is not there', exec: 'tasks/none.md' },
          { trigger: 'classic', description: 'The old kind', workflow: 'old/workflow.yaml' },
          { trigger: 'entry', description: 'Run the file itself', exec: 'workflow.md' },
          { trigger: 'hidden', description: 'In a browser only', action: 'x', 'web-only': true },
          { trigger: 'quit', description: 'Leave', action: 'agent.dismiss' },
          {
            trigger: 'many',
            description: 'Several ways',
            triggers: [
              { type: 'handler', match: 'first way', action: '#check' },
              { type: 'handler', match: 'second way', workflow: 'workflow.md' },
            ],
          },
        ],
      });
      agents.agents.push({
        id: 'bob',
        metadata: { name: 'Bob', title: 'Builder', icon: 'B' },
        persona: { role: 'builds', identity: 'i', communication_style: 'c', principles: 'p' },
      });
      graph.nodes = [
        { id: 'step-01', type: 'step', file: 'steps/step-01.md' },
        { id: 'end-99', type: 'end', file: 'steps/end-99.md', agentId: 'bob' },
      ];
    },
    {
      'steps/end-99.md': step('end-99', 'end'),
      'tasks/review.md': '# Review\n\nRead the readme and say what is missing.\n',
      'data/stories.csv': 'key,title\n1-1,Sign in\n1-2,Sign out\n',
      'data/notes.txt': 'Mind the gap.\n',
      ...files,
    },
  );
}
