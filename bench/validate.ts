/**
 * Validation of a package with 100 nodes against reading its files and parsing its JSON.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inspectPackage, packFolder } from '@crewagent/core';
import { compare, type Row, toRow } from './measure.ts';

const context = { runtimeVersion: '0.1.0', knownServers: new Set<string>() };

export async function benchValidate(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'crewagent-bench-'));
  try {
    const source = join(folder, 'package');
    for (const [path, text] of Object.entries(largePackage(100))) {
      mkdirSync(dirname(join(source, path)), { recursive: true });
      writeFileSync(join(source, path), text);
    }
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
  } finally {
    rmSync(folder, { recursive: true });
  }
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
  const agent = {
    id: 'analyst',
    metadata: { name: 'Ann', title: 'Analyst', icon: 'A' },
    persona: { role: 'r', identity: 'i', communication_style: 'c', principles: ['p'] },
  };
  const files: Record<string, string> = {
    'bmad.json': JSON.stringify({
      schemaVersion: '1.1',
      name: 'large',
      version: '1.0.0',
      entry: { workflow: 'workflow.md', graph: 'workflow.graph.json', agents: 'agents.json' },
    }),
    'agents.json': JSON.stringify({ schemaVersion: '1.1', agents: [agent] }),
    'workflow.md':
      '---\nschemaVersion: "1.1"\nworkflowType: large\ncurrentNodeId: ""\nstepsCompleted: []\n---\n\n# Large\n',
    'workflow.graph.json': JSON.stringify(
      {
        schemaVersion: '1.1',
        entryNodeId: ids[0],
        nodes: ids.map((id) => ({
          id,
          type: id === 'end-99' ? 'end' : 'step',
          file: `steps/${id}.md`,
          title: `Do ${id}`,
          agentId: 'analyst',
          outputs: [`artifacts/${id}.md`],
        })),
        edges: ids.slice(1).map((id, index) => ({ from: ids[index], to: id, label: 'next' })),
      },
      null,
      2,
    ),
  };
  ids.forEach((id, index) => {
    const next = ids[index + 1];
    files[`steps/${id}.md`] = [
      '---',
      'schemaVersion: "1.1"',
      `nodeId: ${id}`,
      `type: ${next ? 'step' : 'end'}`,
      `title: Do ${id}`,
      'agentId: analyst',
      'inputs: []',
      'outputs:',
      `  - artifacts/${id}.md`,
      'setsVariables:',
      '  - topic',
      ...(next ? ['transitions:', `  - to: ${next}`, '    label: next', '    isDefault: true'] : []),
      '---',
      '',
      `# ${id}`,
      '',
      'Read what the step before has left, think about it, and write the next document with care. '.repeat(
        20,
      ),
      '',
    ].join('\n');
  });
  return files;
}
