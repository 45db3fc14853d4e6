/**
 * A package whose agent has a menu with every kind of item.
 */

import { type FileTree, first, samplePackage } from './sample-package.ts';
import documents from './thread-package.json' with { type: 'json' };

export function threadPackage(files: Record<string, string> = {}): FileTree {
  const { ann, bob, nodes } = documents;
  return samplePackage(
    ({ agents, graph }) => {
      Object.assign(first(agents.agents), ann);
      agents.agents.push(bob);
      graph.nodes = nodes;
    },
    {
      'tasks/review.md': '# Review\n\nRead the readme and say what is missing.\n',
      'data/stories.csv': 'key,title\n1-1,Sign in\n1-2,Sign out\n',
      'data/notes.txt': 'Mind the gap.\n',
      ...files,
    },
  );
}
