import { describe, expect, it } from 'vitest';
import { findFilesToRead, findFoldersToSearch } from './named-files.ts';

describe('files that a step tells to read', () => {
  it('are named under a heading or in a line that says so', () => {
    const body = `# Step
Background: assets/history.md has more.

## Read

- \`@pkg/assets/template.md\`: the sections
- \`@project/docs/prd.md\`

## Instructions

1. Fill in \`assets/form.md\`.
2. 使用模板 \`./zh.md\`。
3. Load and follow \`./steps/step-02.md\`.
`;
    expect(findFilesToRead(body, {})).toEqual(['@pkg/assets/template.md', 'assets/form.md', './zh.md']);
  });

  it('are found through keys of the frontmatter; those of menu options and samples are left out', () => {
    const keys = { template: '../prd-template.md', task: '../tasks/elicit.xml', count: 3 };
    const body = `Use {template} for the output, {count} times, and {unknown}.

- A: load and follow {task}
[P] Read ../tasks/party.md
IF C: read ../tasks/go-on.md

\`\`\`md
Read ./sample.md
\`\`\`
`;
    expect(findFilesToRead(body, keys)).toEqual(['../prd-template.md']);
  });
});

describe('folders that a step tells to search', () => {
  it('are list items of their own, or named in a line about searching', () => {
    const body = `Documents can be in:
- {planning_artifacts}/**
- docs/**
2. \`@project/notes/*.md\`

Try to find \`{home}/*brief*.md\`, \`*research*.md\` (anywhere) and **bold/words**.
The files of src/** belong to others.
[S] Search drafts/**

\`\`\`
- sample/**
\`\`\`
`;
    expect(findFoldersToSearch(body, { home: 'briefs' })).toEqual([
      '{planning_artifacts}/**',
      'docs/**',
      '@project/notes/*.md',
      'briefs/*brief*.md',
    ]);
  });

  it('are found in linear time, also in hostile text', () => {
    const stars = '*'.repeat(1_048_576);
    for (const line of [`- a/${stars}!`, `Find a/${stars}! a/${stars}!`, `${stars}!`, `if ${stars}!`])
      expect(findFoldersToSearch(line, {})).toEqual([]);
  });
});
