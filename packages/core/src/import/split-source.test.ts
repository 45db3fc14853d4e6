import { describe, expect, it } from 'vitest';
import { sourceTree } from '../testing/import-sources.ts';
import { splitSource } from './split-source.ts';

/** Three workflows with this many files each; a package has at most 2,000. */
function createTree(count: number) {
  const files = ['count', 'ring', 'feed'].flatMap((id): [string, string][] => [
    [`workflows/${id}/workflow.md`, `# ${id}\n\nFollow steps/step-01-look.md\n`],
    [`workflows/${id}/steps/step-01-look.md`, '# Look\n'],
    ...Array.from({ length: count }, (_, at): [string, string] => [
      `workflows/${id}/data/bird-${at}.md`,
      '#',
    ]),
  ]);
  return sourceTree({ 'module.yaml': 'code: birds\n', ...Object.fromEntries(files) }, 'birds');
}

describe('a source that is larger than a package may be', () => {
  it('[Z50] becomes several packages, by workflow, each within the limits', () => {
    const parts = splitSource(createTree(800), { out: 'here' }, true);
    expect(parts.map(({ options }) => options)).toEqual([
      { workflows: ['count', 'feed'], packageName: 'birds-1', out: 'here-1' },
      { workflows: ['ring'], packageName: 'birds-2', out: 'here-2' },
    ]);
    for (const { files, report } of parts) {
      expect(files.size).toBeLessThanOrEqual(1_998);
      expect(String(files.get('bmad.json'))).toContain(`"name": "${report.package.name}"`);
    }
  });

  it('[Z50] is rejected with a sentence where one workflow is too large, or only one package is wanted', () => {
    expect(() => splitSource(createTree(2_000), {}, true)).toThrow(/This workflow cannot be divided/);
    expect(() => splitSource(createTree(800), {}, false)).toThrow(
      /Import it in parts, for example with --workflow/,
    );
    expect(splitSource(createTree(3), {}, true)).toHaveLength(1);
  });
});
