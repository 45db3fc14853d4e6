import { describe, expect, it } from 'vitest';
import { findFilesToRead } from './named-files.ts';

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
