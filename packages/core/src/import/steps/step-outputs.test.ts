import { describe, expect, it } from 'vitest';
import { findOutputs } from './step-outputs.ts';

const fields = { outputFile: '{plans}/bed.md', draft: '{plans}/draft.md', template: '../bed.md' };

function outputsOf(body: string): string[] {
  return findOutputs({ fields, body, bodyLine: 0 }, (name) => name === 'plans').map(
    ({ path, isExact }) => `${isExact ? 'exact' : 'inferred'} ${path}`,
  );
}

describe('outputs', () => {
  const cases: [body: string, outputs: string[]][] = [
    ['Append the section to `{outputFile}`.', ['exact {plans}/bed.md']],
    ['Copy {template} to {draft}', ['inferred {plans}/draft.md']],
    ['Save it as {plans}/{{bed_name}}.md.', ['inferred {plans}/{bed_name}.md']],
    ['- [ ] `{draft}` created with a title', ['inferred {plans}/draft.md']],
    ['Rename `{draft}` → `{plans}/final.md`', ['inferred {plans}/final.md']],
    ['Read {outputFile} and tell which sections it has.', []],
    ['The document is ready at {outputFile}.', []],
    ['Save it to {elsewhere}/a.md and to docs/a.md', []],
    ['This step does not write. Later ones save to {outputFile}.', []],
  ];
  it.each(cases)('[Z10] %j', (body, outputs) => {
    expect(outputsOf(body)).toEqual(outputs);
  });
});
