/**
 * Packages designed to keep a reader busy or to fill its memory. Each of these once took minutes or gigabytes; validation must
 * end within the time limit of a test.
 */
import { describe, expect, it } from 'vitest';
import { inspectBytes, inspectFiles } from '../testing/inspect.ts';
import { rawZip, zipOf } from '../testing/packages/raw-zip.ts';
import { type SampleDocuments, samplePackage, step } from '../testing/packages/sample-package.ts';

const bent = (bend: (documents: SampleDocuments) => void): Record<string, string> => samplePackage(bend);
const repeat = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Well-formed findings, short enough for a screen. */
function expectModest(
  diagnostics: readonly { message: string; pointer?: string | undefined; file: string }[],
): void {
  expect(diagnostics.length).toBeLessThanOrEqual(2_000);
  for (const { message, pointer = '', file } of diagnostics) {
    expect(message.length + pointer.length + file.length).toBeLessThan(1_300);
  }
}

describe('packages made to be slow', () => {
  it('[B20] ten thousand wrong values in one step', async () => {
    const files = {
      ...samplePackage(),
      'steps/step-01.md': step('step-01', 'step', `inputs:\n${'- 1\n'.repeat(10_000)}`),
    };
    const { diagnostics } = await inspectFiles(files);
    expect(diagnostics).toHaveLength(1_000);
    expect(diagnostics[0]).toMatchObject({ code: 'SCHEMA', pointer: '/inputs/0', line: 6 });
  });

  it('[B20] three thousand nodes that share one step', async () => {
    const { diagnostics } = await inspectFiles(
      bent(({ graph }) => {
        graph.nodes.push(
          ...repeat(3_000, (index) => ({ id: `n${index}`, type: 'step', file: 'steps/step-01.md' })),
        );
      }),
    );
    expect(diagnostics.filter(({ code }) => code === 'NODE_ID_MISMATCH').length).toBeGreaterThan(900);
  });

  it.each([
    ['folders nested tens of thousands deep', `${'a/'.repeat(30_000)}x`],
    ['tens of thousands of slashes', `a${'/'.repeat(60_000)}a`],
    ['tens of thousands of dots', `${'.'.repeat(60_000)}a`],
  ])('[B20] an entry name of %s', async (_, name) => {
    const { diagnostics } = await inspectBytes(
      zipOf(
        samplePackage(),
        repeat(6, (index) => ({ name: `${index}${name}`, data: 'x' })),
      ),
    );
    expect(diagnostics.map(({ code }) => code)).toEqual(repeat(6, () => 'ENTRY_NAME_UNSAFE'));
    expectModest(diagnostics);
  });

  it.each([
    ['nodes', '1'],
    ['edges', '{}'],
    ['metadata', '[]'],
  ])('[B20] eight megabytes of %s', async (key, item) => {
    const graph = JSON.parse(samplePackage()['workflow.graph.json'] ?? '') as Record<string, unknown>;
    const head = JSON.stringify({ ...graph, [key]: undefined }).slice(0, -1);
    const many = `[${repeat(2_000_000, () => item).join(',')}]`;
    const text = `${head},"${key}":${key === 'metadata' ? `{"x":${many}}` : many}}`;
    const { diagnostics } = await inspectFiles({ ...samplePackage(), 'workflow.graph.json': text });
    expect(diagnostics.map(({ code }) => code)).toEqual(['UNSAFE_VALUE']);
  });

  it('[B10] eight megabytes of an id, named by nine hundred findings', async () => {
    const { diagnostics } = await inspectFiles(
      bent(({ agents }) => {
        Object.assign(agents.agents[0] ?? {}, {
          id: 'a'.repeat(8_000_000),
          tools: { mcp: { allowedServers: repeat(900, (index) => `s${index}`) } },
        });
      }),
    );
    expect(diagnostics).toHaveLength(900);
    expectModest(diagnostics);
  });

  it('[B10] tens of thousands of unknown keys are one short sentence', async () => {
    const { diagnostics } = await inspectFiles(
      bent(({ bmad }) => {
        Object.assign(bmad, Object.fromEntries(repeat(50_000, (index) => [`key${index}`, 1])));
      }),
    );
    expect(diagnostics).toHaveLength(1);
    expectModest(diagnostics);
  });

  it('[B20] twenty thousand prompts and as many menu items', async () => {
    const { diagnostics } = await inspectFiles(
      bent(({ agents }) => {
        Object.assign(agents.agents[0] ?? {}, {
          prompts: repeat(15_000, (index) => ({ id: `p${index}`, content: 'x' })),
          menu: repeat(15_000, (index) => ({ description: 'x', action: `#p${index}` })),
        });
      }),
    );
    expect(diagnostics).toEqual([]);
  });

  it('[B20] a thousand steps whose YAML is slow to reject', async () => {
    const nodes = repeat(1_000, (index) => ({ id: `n${index}`, type: 'step', file: `steps/n${index}.md` }));
    const slow = `---\na: [${','.repeat(15_000)}\n---\n`;
    const files = Object.fromEntries(nodes.map(({ file }) => [file, slow]));
    const { diagnostics } = await inspectFiles({
      ...bent(({ graph }) => graph.nodes.push(...nodes)),
      ...files,
    });
    expect(diagnostics.filter(({ code }) => code === 'BAD_FRONTMATTER').length).toBeGreaterThan(900);
    expect(diagnostics.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/takes too long|longer than the limit/),
    );
  });

  it('[B20] entries that share bytes, or declare more than the archive has', async () => {
    const bytes = rawZip([{ name: 'bmad.json', data: 'x'.repeat(5_000), method: 0 }]);
    const directory = bytes.indexOf('PK\x01\x02', 0, 'latin1');
    const claim = Buffer.from(bytes);
    claim.writeUInt32LE(0x7fffffff, directory + 20);
    for (const hostile of [claim]) {
      const { diagnostics } = await inspectBytes(hostile);
      expect(diagnostics.map(({ code }) => code)).toContain('ARCHIVE_DAMAGED');
    }
  });

  it('[B10] more warnings than can be listed do not reject a package', async () => {
    const nodes = repeat(1_100, (index) => ({ id: `n${index}`, type: 'step', file: `steps/n${index}.md` }));
    const steps = Object.fromEntries(nodes.map(({ id, file }) => [file, step(id, 'step', 'agentId: ""\n')]));
    const tree = bent(({ graph }) => {
      graph.nodes.push(...nodes);
      graph.edges.push(...nodes.map(({ id }) => ({ from: 'step-01', to: id, label: id })));
    });
    const inspection = await inspectFiles({ ...tree, ...steps });
    expect(inspection.package).toBeDefined();
    expect(inspection.diagnostics.at(-1)?.code).toBe('TOO_MANY_WARNINGS');
  });
});
