import { describe, expect, it } from 'vitest';
import { branchingPackage } from '../testing/packages/branching-package.ts';
import type { FileTree } from '../testing/packages/sample-package.ts';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import { comparePackages, describeChanges, toPackageVersion } from './compare-packages.ts';
import { inspectPackage } from './load-package.ts';

const context = { runtimeVersion: '1.0.0', knownServers: new Set<string>() };

async function load(files: FileTree) {
  const folder = await tempFolder();
  await writeTree(folder, files);
  const { package: loaded } = await inspectPackage(folder, context);
  if (!loaded) throw new Error('the package is not valid');
  return toPackageVersion(loaded, (path) => Promise.resolve(Buffer.from(files[path] ?? '')));
}

async function changesOf(change: (files: FileTree) => FileTree): Promise<string[]> {
  const files = branchingPackage();
  return describeChanges(comparePackages(await load(files), await load(change(files))));
}

const rename =
  (from: string, to: string) =>
  (files: FileTree): FileTree =>
    Object.fromEntries(
      Object.entries(files).map(([path, text]) => [
        path.replace(from, to),
        // The heading of the step stays.
        path.includes(from) ? text.replace(from, to) : text.replaceAll(from, to),
      ]),
    );

describe('two versions of a package', () => {
  it('are the same if only side files and the order of keys differ', async () => {
    expect(await changesOf((files) => ({ ...files, 'notes.md': 'x' }))).toEqual([]);
  });

  it('a step has changed if its text has, and not if only its edges have', async () => {
    const text = (files: FileTree) => ({
      ...files,
      'steps/step-03.md': `${files['steps/step-03.md']}More.\n`,
    });
    expect(await changesOf(text)).toEqual(['Step changed: step-03.']);
    const edges = (files: FileTree) => ({
      ...files,
      'workflow.graph.json': (files['workflow.graph.json'] ?? '').replace('"label": "', '"label": "x'),
    });
    const sentences = await changesOf(edges);
    expect(sentences.map((sentence) => sentence.split(':')[0])).toEqual(['Edge added', 'Edge removed']);
  });

  it('a step with the same text under another id is renamed', async () => {
    const sentences = await changesOf(rename('step-03', 'step-three'));
    expect(sentences[0]).toBe('Step renamed: step-03 is now step-three.');
  });

  it('agents are compared by id', async () => {
    const sentences = await changesOf((files) => ({
      ...files,
      'agents.json': (files['agents.json'] ?? '').replaceAll('"bob"', '"rob"'),
      'workflow.graph.json': (files['workflow.graph.json'] ?? '').replaceAll('"bob"', '"rob"'),
    }));
    expect(sentences).toContain('Agent added: rob.');
    expect(sentences).toContain('Agent removed: bob.');
  });
});
