import { describe, expect, it } from 'vitest';
import { chooseMainResult } from './main-result.ts';
import { EMPTY_RUN_STATE } from './run-state.ts';

function choose(written: readonly string[], result?: string, variables: Record<string, unknown> = {}) {
  const workflow = { ref: 'w', title: 'W', ...(result === undefined ? {} : { result }) };
  return chooseMainResult({ workflow, state: { ...EMPTY_RUN_STATE, variables } }, written);
}

describe('the main result of a run', () => {
  const written = ['@project/artifacts/plan.md', '@project/artifacts/story-3.md', '@project/src/a.ts'];

  it.each([
    ['artifacts/plan.md', {}, '@project/artifacts/plan.md'],
    ['@project/artifacts/plan.md', {}, '@project/artifacts/plan.md'],
    [
      '{project-root}/artifacts/{kind}-{number}.md',
      { kind: 'story', number: 3 },
      '@project/artifacts/story-3.md',
    ],
    ['{folder}/plan.md', { folder: './artifacts' }, '@project/artifacts/plan.md'],
  ])('[U45] is the file that the workflow names: %s', (named, variables, expected) => {
    expect(choose(written, named, variables)).toBe(expected);
  });

  it('[U45] is the last document where the workflow names none, or one that was not written', () => {
    expect(choose(written)).toBe('@project/artifacts/story-3.md');
    expect(choose(written, 'artifacts/{unset}.md')).toBe('@project/artifacts/story-3.md');
  });

  it('[U45] is the last file where there is no document', () => {
    expect(choose(['@project/a.csv', '@project/src/a.ts'])).toBe('@project/src/a.ts');
    expect(choose([])).toBeUndefined();
  });
});
