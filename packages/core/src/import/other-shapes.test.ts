/** Sources in shapes that no sample has: they are imported, rehearsed and finished by readers all the same. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DILIGENT_READERS } from '../rehearse/models/reader.ts';
import { LABORATORY, type SourceFiles, sourceTree, THEATRE } from '../testing/import-sources.ts';
import { playAs } from '../testing/rigs/play-as.ts';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import { convertSource } from './convert-source.ts';
import { importSource } from './import-source.ts';

const context = { runtimeVersion: '1.0.0', knownServers: new Set<string>() };

interface Graph {
  readonly nodes: readonly { readonly id: string }[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly label: string }[];
}

function convert(source: SourceFiles, name: string) {
  const { files, report } = convertSource(sourceTree(source, name));
  const text = (path: string): string => String(files.get(path));
  const edges = (id: string): string[] =>
    (JSON.parse(text(`workflows/${id}/workflow.graph.json`)) as Graph).edges.map(
      ({ from, to, label }) => `${from} -${label}> ${to}`,
    );
  const agents = (
    JSON.parse(text('agents.json')) as { agents: { id: string; menu?: { trigger: string }[] }[] }
  ).agents.map(({ id, menu = [] }) => [id, menu.map(({ trigger }) => trigger)]);
  return { files, report, edges, agents };
}

async function check(source: SourceFiles, name: string) {
  const folder = await tempFolder();
  await writeTree(join(folder, name), source);
  const { diagnostics, rehearsal } = await importSource({
    source: join(folder, name),
    out: join(folder, 'package'),
    context,
  });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(rehearsal?.failures).toEqual([]);
}

describe('a collection of plugins with phases in files of their own', () => {
  it('[Z11] has an edge for each phase, and one that leads back', () => {
    const { edges, agents } = convert(THEATRE, 'theatre');
    expect(edges('rehearse-scene')).toEqual([
      '01-read -next> 02-block',
      '02-block -R> 01-read',
      '02-block -C> 03-run',
    ]);
    expect(edges('sell-tickets')).toHaveLength(2);
    expect(agents).toEqual([['prompter', []]]);
  });

  it('[Z50] is valid and rehearsed whole', () => check(THEATRE, 'theatre'), 60_000);
});

describe('a module with a table of states', () => {
  it('[Z11] has an edge for each state, and its agent the menu of the source', () => {
    const { edges, agents } = convert(LABORATORY, 'lab');
    expect(edges('titrate')).toEqual([
      '01-weigh -C> 02-drop',
      '02-drop -pink> 03-note',
      '02-drop -spoiled> end-spoiled',
    ]);
    expect(agents).toEqual([['chemist', expect.arrayContaining(['TI', 'WA'])]]);
  });

  it('[Z50] is valid, rehearsed whole, and finished by readers that do the work', async () => {
    await check(LABORATORY, 'lab');
    const { files } = convert(LABORATORY, 'lab');
    const pkg = Object.fromEntries([...files].map(([path, bytes]) => [path, String(bytes)]));
    const lazy = await playAs('lazy', { package: pkg, workflow: 'titrate' });
    expect(lazy.phase).toBe('WaitingUser');
    for (const kind of DILIGENT_READERS) {
      const { phase, isProved } = await playAs(kind, { package: pkg, workflow: 'titrate' });
      expect([kind, phase, isProved]).toEqual([kind, 'Completed', true]);
    }
  }, 60_000);
});
