import { describe, expect, it } from 'vitest';
import { neededDocuments } from './needed-documents.ts';

const node = (inputs: readonly string[], outputs: readonly string[] = []) => ({
  inputs: [...inputs],
  outputs: [...outputs],
});

describe('documents a workflow needs', () => {
  it('[U79] are those its nodes read and none of them creates, without duplicates', () => {
    const nodes = [
      node(['@project/docs/epics.md', 'docs/prd.md'], ['artifacts/outline.md']),
      node(['{artifacts-root}/outline.md', './docs/epics.md'], ['@project/artifacts/story.md']),
      node(['artifacts/story.md', '{project-root}/notes/style.md']),
    ];
    expect(neededDocuments(nodes)).toEqual([
      '@project/docs/epics.md',
      '@project/docs/prd.md',
      '@project/notes/style.md',
    ]);
  });

  it('[U79] exclude files of the package, of the state, outside, or with a variable', () => {
    expect(
      neededDocuments([
        node(['@pkg/assets/a.md', 'assets/b.md', 'steps/c.md', '@state/workflow.md', 'workflow.md']),
        node(['docs/{storyKey}.md', '/etc/passwd', '../x.md', 'https://a.b/c.md']),
      ]),
    ).toEqual([]);
  });
});
