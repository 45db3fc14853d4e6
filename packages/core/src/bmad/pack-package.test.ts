import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Diagnostic } from '@crewagent/protocol/diagnostics';
import fc from 'fast-check';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import type { CrewError } from '../base/crew-error.ts';
import { pinPackage } from '../session/load-workflow.ts';
import { openDiskStore } from '../store/disk/open-store.ts';
import { codesOf, inspectBytes, inspectFiles, testContext } from '../testing/inspect.ts';
import { zipOf } from '../testing/packages/raw-zip.ts';
import { samplePackage } from '../testing/packages/sample-package.ts';
import { readTree, tempFolder, writeTree } from '../testing/temp-folder.ts';
import { importPackage } from './import-package.ts';
import { inspectPackage } from './load-package.ts';
import { createPackage } from './new-package.ts';
import { packFolder } from './pack-package.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

async function packageFolder(files: Record<string, string | Buffer>): Promise<string> {
  const folder = await tempFolder();
  await writeTree(folder, files);
  return folder;
}

describe('packing', () => {
  it('[B41] rejects an invalid package and writes nothing', async () => {
    const folder = await packageFolder(samplePackage(() => undefined, { 'agents.json': '{' }));
    const out = await tempFolder();
    await expect(packFolder(folder, join(out, 'p.bmad'), testContext)).rejects.toMatchObject({
      code: 'PACKAGE_INVALID',
    });
    expect(await readdir(out)).toEqual([]);
  });

  it('[B41] rejects a package that is already packed, and writes nothing', async () => {
    const file = join(await tempFolder(), 'p.bmad');
    await writeFile(file, zipOf(samplePackage()));
    await expect(packFolder(file, `${file}.out`, testContext)).rejects.toThrow(/already packed/);
    expect(await readdir(join(file, '..'))).toEqual(['p.bmad']);
  });

  it('[B41] produces the same bytes whatever the dates, modes and time zone', async () => {
    const folders = await Promise.all([packageFolder(samplePackage()), packageFolder(samplePackage())]);
    await utimes(join(folders[0], 'bmad.json'), 1e9, 1e9);
    await chmod(join(folders[0], 'bmad.json'), 0o600);
    const hashes = ['UTC', 'Asia/Shanghai', 'America/Los_Angeles'].flatMap((TZ) =>
      folders.map((folder) => {
        const { stdout } = spawnSync(
          process.execPath,
          [
            join(root, 'apps/cli/dist/crewagent.js'),
            'pack',
            folder,
            '--out',
            join(folder, 'out.bmad'),
            '--json',
          ],
          { env: { ...process.env, TZ } },
        );
        return (JSON.parse(stdout.toString()) as { sha256: string }).sha256;
      }),
    );
    expect(new Set(hashes).size).toBe(1);
    const bytes = await Promise.all(folders.map((folder) => readFile(join(folder, 'out.bmad'))));
    expect(bytes[0]?.equals(bytes[1] ?? Buffer.alloc(0))).toBe(true);
  });

  it('[B41] skips artifacts of tools and earlier packages', async () => {
    const folder = await packageFolder({
      ...samplePackage(),
      '.git/HEAD': 'x',
      '.DS_Store': 'x',
      'sample-1.0.0.bmad': 'x',
      'steps/first.md~': 'left by an editor',
      'artifacts/story.md': 'left by a run',
    });
    const target = join(folder, 'sample-1.0.0.bmad');
    await packFolder(folder, target, testContext);
    expect(Object.keys(unzipSync(await readFile(target))).sort()).toEqual(
      Object.keys(samplePackage()).sort(),
    );
  });

  it('[B41] produces the same bytes when packing into the package itself', async () => {
    const folder = await packageFolder({ ...samplePackage(), 'x.bmad/notes.md': 'part of it' });
    const target = join(folder, 'dist', 'out.zip');
    await mkdir(join(folder, 'dist'));
    await writeFile(join(folder, `.writing-999999999-${'0'.repeat(16)}`), 'left by a crash');
    const first = await packFolder(folder, target, testContext);
    const second = await packFolder(folder, target, testContext);
    expect(second.sha256).toBe(first.sha256);
    expect(Object.keys(unzipSync(await readFile(target)))).toContain('x.bmad/notes.md');
  });

  it('[B41] rejects a folder with secret files, and validation warns of them', async () => {
    const secrets = { '.env': 'TOKEN=1', '.npmrc': 'x', 'assets/id_rsa': 'x' };
    const folder = await packageFolder({ ...samplePackage(), ...secrets, '.env.example': 'TOKEN=' });
    const expected = Object.keys(secrets).map((file) => `SECRET_FILE ${file}`);
    expect(codesOf(await inspectPackage(folder, testContext)).sort()).toEqual(expected);
    const out = await tempFolder();
    const rejected = await packFolder(folder, join(out, 'p.bmad'), testContext).catch(
      (error: unknown) => (error as CrewError).details.diagnostics as Diagnostic[],
    );
    expect(rejected).toMatchObject(expected.map(() => ({ severity: 'error', code: 'SECRET_FILE' })));
    expect(await readdir(out)).toEqual([]);
  });

  it('[B41] a run from a folder with secret files leaves them out', async () => {
    const folder = await packageFolder({ ...samplePackage(), '.env': 'TOKEN=1' });
    const store = openDiskStore(await tempFolder());
    await expect(importPackage(folder, store, testContext)).rejects.toMatchObject({
      code: 'PACKAGE_INVALID',
    });
    const hash = await pinPackage(folder, store, testContext);
    expect(await readTree(store.packages.folder(hash))).toEqual({ ...samplePackage(), 'steps/': '' });
  });

  it('[B41] warns of secret files in an archive', async () => {
    const inspection = await inspectBytes(zipOf({ ...samplePackage(), '.aws/config': 'x' }));
    expect(codesOf(inspection)).toEqual(['SECRET_FILE .aws/config']);
  });

  it('[B41] a packed package unpacks to the same files, also if they compress too well', async () => {
    const assets = {
      'assets/zeros.bin': Buffer.alloc(300_000),
      'assets/empty.txt': '',
      'assets/noise.bin': Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 7919) % 251)),
      'assets/汉字 und Ümlaute.md': '你好',
    };
    const folder = await packageFolder({ ...samplePackage(), ...assets });
    const target = join(await tempFolder(), 'p.bmad');
    await packFolder(folder, target, testContext);
    expect((await inspectPackage(target, testContext)).diagnostics).toEqual([]);
    const store = openDiskStore(await tempFolder());
    const { package: installed } = await importPackage(target, store, testContext);
    expect(await readTree(store.packages.folder(installed.hash))).toEqual(await readTree(folder));
  });

  it('[B41] for any files', async () => {
    const name = fc
      .stringMatching(/^[a-z0-9]{1,8}$/)
      .filter((text) => !/^(?:con|prn|aux|nul|com\d|lpt\d)$/.test(text));
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(name, fc.uint8Array({ maxLength: 2_000 }), { maxKeys: 6 }),
        async (assets) => {
          const files = Object.entries(assets).map(
            ([path, bytes]) => [`assets/${path}.bin`, Buffer.from(bytes)] as const,
          );
          const folder = await packageFolder({ ...samplePackage(), ...Object.fromEntries(files) });
          const target = join(await tempFolder(), 'p.bmad');
          await packFolder(folder, target, testContext);
          const unpacked = unzipSync(await readFile(target));
          for (const [path, bytes] of files)
            expect(Buffer.from(unpacked[path] ?? []).equals(bytes)).toBe(true);
          expect((await inspectPackage(target, testContext)).diagnostics).toEqual([]);
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('a new package', () => {
  it('[B70] is valid without a warning, whatever its name', async () => {
    for (const name of ['my-package', '包', 'a "quoted" name\\']) {
      const folder = join(await tempFolder(), 'fresh');
      const files = await createPackage(folder, name);
      expect(files).toContain('bmad.json');
      const inspection = await inspectPackage(folder, testContext);
      expect(inspection.diagnostics).toEqual([]);
      expect(inspection.package?.manifest.name).toBe(name);
    }
  });

  it('[B70] never touches a folder that is not empty', async () => {
    const folder = await packageFolder({ 'notes.txt': 'mine' });
    await expect(createPackage(folder, 'x')).rejects.toMatchObject({ code: 'TARGET_EXISTS' });
    expect(await readTree(folder)).toEqual({ 'notes.txt': 'mine' });
  });
});

describe('the bundled examples', () => {
  const names = readdirSync(join(root, 'examples'), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() && entry.name !== 'demo-project' ? [entry.name] : [],
  );

  it.each(names)('[B70] %s is valid without a warning', async (name) => {
    const inspection = await inspectPackage(join(root, 'examples', name), testContext);
    expect(inspection.diagnostics).toEqual([]);
    expect(inspection.package?.manifest.name).toBe(name);
  });

  it('[B70] differ from their Chinese twins in their texts only', async () => {
    const outlines = new Map<string, Awaited<ReturnType<typeof outlineOf>>>();
    for (const name of names) outlines.set(name, await outlineOf(join(root, 'examples', name)));
    for (const [name, { titles, outline }] of outlines) {
      const isChinese = name.endsWith('-zh');
      expect(titles.filter((title) => /\p{Script=Han}/u.test(title) !== isChinese)).toEqual([]);
      if (isChinese) expect(outline).toEqual(outlines.get(name.replace(/-zh$/, ''))?.outline);
    }
    expect(names.filter((name) => name.endsWith('-zh'))).toHaveLength(9);
  });
});

/** A package without its texts, and the titles of its nodes. */
async function outlineOf(folder: string) {
  const loaded = (await inspectPackage(folder, testContext)).package;
  const nodes = (loaded?.workflows ?? []).flatMap((workflow) => [...workflow.nodes.values()]);
  return {
    titles: nodes.map(({ title }) => title),
    outline: {
      files: Object.keys(await readTree(folder)).sort(),
      edges: loaded?.workflows.map(({ graph }) =>
        graph.edges.map(({ from, to, isDefault, conditionExpr }) => ({ from, to, isDefault, conditionExpr })),
      ),
      nodes: nodes.map(({ title: _, ...node }) => withoutCheckedTexts(node)),
      agents: loaded?.agents.map(({ id, tools, menu }) => [
        id,
        tools,
        menu?.map(({ trigger }) => trigger?.replace(/-zh$/, '')),
      ]),
    },
  };
}

/** Texts that are looked for in a file are in the language of the package, and a Chinese character counts as a word. */
function withoutCheckedTexts(node: object): unknown {
  return JSON.parse(JSON.stringify(node), (key, value: unknown) =>
    key === 'minWords' ? true : TEXTS.has(key) && Array.isArray(value) ? value.length : value,
  );
}

const TEXTS = new Set(['headings', 'contains', 'notContains', 'columns', 'options']);

describe('packages of the CrewAgent Builder', () => {
  const builderPackage = {
    'bmad.json': JSON.stringify({
      schemaVersion: '1.1',
      name: 'My Project',
      version: '0.1.0',
      createdAt: '2026-01-01T00:00:00.000Z',
      entry: {
        workflow: 'workflows/1/workflow.md',
        graph: 'workflows/1/workflow.graph.json',
        agents: 'agents.json',
        assetsDir: 'assets/',
      },
      workflows: [
        {
          id: '1',
          displayName: 'Main',
          workflow: 'workflows/1/workflow.md',
          graph: 'workflows/1/workflow.graph.json',
          tags: [],
        },
      ],
    }),
    'agents.json': samplePackage()['agents.json']?.replace('"workflow.md"', '"1"') ?? '',
    'workflows/1/workflow.md':
      '\uFEFF---\r\nschemaVersion: "1.1"\r\nworkflowType: workflow\r\ncurrentNodeId: "collect:a"\r\nstepsCompleted: []\r\nvariables: {}\r\ndecisionLog: []\r\nartifacts: []\r\nupdatedAt: ""\r\n---\r\n\r\n1. [Collect](steps/collect:a.md)\r\n',
    'workflows/1/workflow.graph.json': JSON.stringify({
      schemaVersion: '1.1',
      entryNodeId: 'collect:a',
      nodes: [
        {
          id: 'Review',
          type: 'decision',
          file: 'workflows/1/steps/Review.md',
          title: 'Review',
          agentId: 'analyst',
        },
        { id: 'call-sub', type: 'subworkflow', file: 'workflows/1/steps/call-sub.md' },
        { id: 'collect:a', type: 'step', file: 'workflows/1/steps/collect:a.md', title: 'Collect' },
      ],
      edges: [
        { id: 'e1', from: 'Review', to: 'call-sub', label: 'branch-1', isDefault: true },
        { id: 'e2', from: 'Review', to: 'collect:a', label: 'branch-2', conditionText: 'not enough' },
        { id: 'e0', from: 'collect:a', to: 'Review', label: 'next' },
      ],
    }),
    'workflows/1/steps/collect:a.md':
      '---\nschemaVersion: "1.1"\nnodeId: collect:a\ntype: step\ntitle: Collect\nagentId: ""\ninputs: []\noutputs: []\nsetsVariables: []\ntransitions:\n  - to: Review\n    label: next\n    isDefault: true\n---\n\nCollect.\n',
    'workflows/1/steps/Review.md':
      '---\nschemaVersion: "1.1"\nnodeId: Review\ntype: decision\nagentId: analyst\ntransitions:\n  - to: call-sub\n    label: branch-1\n    isDefault: true\n  - to: collect:a\n    label: branch-2\n    isDefault: false\n    conditionText: not enough\n---\n\nReview.\n',
    'workflows/1/steps/call-sub.md':
      '---\nschemaVersion: "1.1"\nnodeId: call-sub\ntype: subworkflow\n---\n\nCall.\n',
  };
  const named = [
    'BLANK_AGENT workflows/1/steps/collect:a.md /agentId',
    'BLANK_DATE workflows/1/workflow.md /updatedAt',
    'NO_END_REACHABLE workflows/1/workflow.graph.json /nodes',
    'SUBWORKFLOW_WITHOUT_TARGET workflows/1/workflow.graph.json /nodes/1',
  ];

  it('load from a folder with only the documented warnings', async () => {
    const inspection = await inspectFiles(builderPackage);
    expect(codesOf(inspection).sort()).toEqual(named);
    expect(inspection.package?.workflows.map(({ ref, title }) => [ref, title])).toEqual([['1', 'Main']]);
  });

  it('are imported from a stored zip with folder entries', async () => {
    const folders = ['workflows/', 'workflows/1/', 'workflows/1/steps/'].map((name) => ({
      name,
      mode: 0o040755,
      method: 0,
    }));
    const file = join(await tempFolder(), 'My Project.bmad');
    await writeFile(file, zipOf(builderPackage, folders));
    const result = await importPackage(file, openDiskStore(await tempFolder()), testContext);
    expect(codesOf({ diagnostics: result.warnings }).sort()).toEqual(named);
  });
});
