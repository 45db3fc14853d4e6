/**
 * What an author waits for after each change: the tests and the rehearsal of a package with 40 nodes. In processor time, because the
 * disk of a machine decides the rest.
 */
import { rehearsePackage, testPackage } from '@crewagent/core';
import { writeTree } from '../packages/core/src/testing/file-tree.ts';
import { samplePackage } from '../packages/core/src/testing/packages/sample-package.ts';
import { atMost, inFolder, type Row } from './measure.ts';

const context = { runtimeVersion: '0.1.0', knownServers: new Set<string>() };
const TESTS = 100;

export async function benchTests(): Promise<Row[]> {
  return inFolder(rowsOf);
}

async function rowsOf(folder: string): Promise<Row[]> {
  await writeTree(folder, testedPackage(40));
  const tests = async (): Promise<void> => {
    const { ok, tests: results } = await testPackage({ folder, context });
    if (!ok || results.length !== TESTS)
      throw new Error(JSON.stringify(results.find((result) => !result.ok)?.failures));
  };
  const whole = await cpuSeconds(tests);
  const rehearsal = await cpuSeconds(async () => {
    const { ok, workflows } = await rehearsePackage({ package: folder, context });
    if (!ok)
      throw new Error(JSON.stringify(workflows.flatMap(({ runs }) => runs.map(({ warnings }) => warnings))));
  });
  await writeTree(folder, testedPackage(40, true));
  const parts = await cpuSeconds(tests);
  return [
    atMost(`${TESTS} tests of a package of 40 nodes, all from end to end, processor time`, whole, 20, 's'),
    atMost(
      `${TESTS} tests of that package, which start at its nodes in turn, processor time`,
      parts,
      20,
      's',
    ),
    atMost('rehearsal of that package, processor time', rehearsal, 3, 's'),
  ];
}

async function cpuSeconds(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/**
 * A method of 40 nodes in which each step reads what the one before wrote, every fifth waits for the person, and each document is
 * checked; a fork in the middle. Each test walks to the end in a project with some files: from the beginning, or each from another node.
 */
function testedPackage(count: number, startsEverywhere = false): Record<string, string> {
  const ids = Array.from({ length: count }, (_, index) =>
    index === count - 1 ? 'end-99' : `step-${index + 1}`,
  );
  const fork = Math.floor(count / 2);
  const targetsOf = (index: number): string[] => {
    const next = ids[index + 1];
    if (next === undefined) return [];
    const other = ids[index + 2];
    if (index === fork - 1 && other) return [next, other];
    return [index === fork ? (other ?? next) : next];
  };
  const outputOf = (id: string): string => `artifacts/${id}.md`;
  const isHalt = (index: number): boolean => index % 5 === 2;
  const edgeTo = (to: string, index: number) => ({
    to,
    label: index === 0 ? 'next' : 'other',
    isDefault: index === 0,
  });
  const steps = ids.map((id, index): [string, string] => {
    const produces = `produces:\n  - path: ${outputOf(id)}\n    headings: [Points, Next]\n    minWords: 20`;
    const transitions = targetsOf(index).map((to, at) => {
      const { label, isDefault } = edgeTo(to, at);
      return `  - to: ${to}\n    label: ${label}\n    isDefault: ${isDefault}`;
    });
    const before = ids[index - 1];
    const keys = [
      `nodeId: ${id}`,
      `type: ${index === count - 1 ? 'end' : 'step'}`,
      `title: Do ${id}`,
      'agentId: analyst',
      `inputs: [${before && index !== fork + 1 ? outputOf(before) : ''}]`,
      `outputs: [${outputOf(id)}]`,
      'setsVariables: [topic]',
      ...(isHalt(index) ? ['waits: true'] : []),
      produces,
      `transitions:${transitions.length === 0 ? ' []' : `\n${transitions.join('\n')}`}`,
    ];
    const prose =
      'Read what the step before has left, think about it, and write the next document with care. ';
    return [
      `steps/${id}.md`,
      `---\nschemaVersion: "1.1"\n${keys.join('\n')}\n---\n\n# ${id}\n\n${prose.repeat(10)}\n`,
    ];
  });
  const tests = Array.from({ length: TESTS }, (_, index): [string, string] => {
    const way = index % 2 === 0 ? ids[fork] : ids[fork + 1];
    const lines = [
      `name: Walk ${index + 1}`,
      'project: shop',
      `model: ${index % 4 === 0 ? 'rehearsal' : 'literal'}`,
      ...(startsEverywhere ? [`start: ${ids[index % count]}`] : []),
      ...(index % 4 === 0 ? [`choose: { ${ids[fork - 1]}: ${way === ids[fork] ? 'next' : 'other'} }`] : []),
      'expect:',
      '  proved: true',
      `  files: { ${outputOf('end-99')}: { contains: "Points" } }`,
    ];
    return [`tests/walk-${index + 1}.yaml`, `${lines.join('\n')}\n`];
  });
  const project = Array.from({ length: 10 }, (_, index): [string, string] => [
    `tests/shop/docs/note-${index}.md`,
    'A line about the shop.\n'.repeat(100),
  ]);
  return samplePackage(
    ({ graph }) => {
      graph.entryNodeId = ids[0] ?? '';
      graph.nodes = ids.map((id, index) => ({
        id,
        type: index === count - 1 ? 'end' : 'step',
        file: `steps/${id}.md`,
        title: `Do ${id}`,
        agentId: 'analyst',
        outputs: [outputOf(id)],
      }));
      graph.edges = ids.flatMap((from, index) =>
        targetsOf(index).map((to, at) => ({ from, ...edgeTo(to, at) })),
      );
    },
    { 'steps/step-01.md': undefined, ...Object.fromEntries([...steps, ...tests, ...project]) },
  );
}
