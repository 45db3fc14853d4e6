/**
 * Validation of a package with 100 nodes against reading its files and parsing its JSON.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspectPackage, packFolder } from '@crewagent/core';
import { writeTree } from '../packages/core/src/testing/file-tree.ts';
import { samplePackage } from '../packages/core/src/testing/packages/sample-package.ts';
import { compare, inFolder, type Row, toRow } from './measure.ts';

const context = { runtimeVersion: '0.1.0', knownServers: new Set<string>() };

export async function benchValidate(): Promise<Row[]> {
  return inFolder(async (folder) => {
    const source = join(folder, 'package');
    await writeTree(source, largePackage(100));
    const { diagnostics } = await inspectPackage(source, context);
    if (diagnostics.length > 0)
      throw new Error(`the benchmark package is not valid: ${JSON.stringify(diagnostics[0])}`);
    const archive = join(folder, 'package.bmad');
    await packFolder(source, archive, context);
    const baseline = (): Promise<unknown> => readAll(source);
    return [
      toRow(
        'validate a folder of 100 nodes / read and JSON.parse',
        await compare(60, () => inspectPackage(source, context), baseline),
        3,
      ),
      toRow(
        'validate the same as an archive / read and JSON.parse the folder',
        await compare(60, () => inspectPackage(archive, context), baseline),
        3,
      ),
    ];
  });
}

async function readAll(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const text = await readFile(join(entry.parentPath, entry.name), 'utf8');
        return entry.name.endsWith('.json') ? Object.keys(JSON.parse(text) as object).length : text.length;
      }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Like a package of the Builder: full frontmatter, a paragraph or two of instructions in each step. */
function largePackage(count: number): Record<string, string> {
  const ids = Array.from({ length: count }, (_, index) =>
    index === count - 1 ? 'end-99' : `step-${index + 1}`,
  );
  const steps = ids.map((id, index): [string, string] => {
    const next = ids[index + 1];
    const keys = [
      `nodeId: ${id}`,
      `type: ${next ? 'step' : 'end'}`,
      `title: Do ${id}`,
      'agentId: analyst',
      'inputs: []',
      `outputs:\n  - artifacts/${id}.md`,
      'setsVariables:\n  - topic',
      ...(next ? [`transitions:\n  - to: ${next}\n    label: next\n    isDefault: true`] : []),
    ];
    const prose =
      'Read what the step before has left, think about it, and write the next document with care. '.repeat(
        20,
      );
    return [`steps/${id}.md`, `---\nschemaVersion: "1.1"\n${keys.join('\n')}\n---\n\n# ${id}\n\n${prose}\n`];
  });
  return samplePackage(
    ({ graph }) => {
      graph.entryNodeId = ids[0] ?? '';
      graph.nodes = ids.map((id) => ({
        id,
        type: id === 'end-99' ? 'end' : 'step',
        file: `steps/${id}.md`,
        title: `Do ${id}`,
        agentId: 'analyst',
        outputs: [`artifacts/${id}.md`],
      }));
      graph.edges = ids.slice(1).map((id, index) => ({ from: ids[index], to: id, label: 'next' }));
    },
    { 'steps/step-01.md': undefined, ...Object.fromEntries(steps) },
  );
}
