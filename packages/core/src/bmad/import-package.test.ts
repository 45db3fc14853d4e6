import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CrewError } from '../base/crew-error.ts';
import { loadInstalled } from '../session/load-workflow.ts';
import { type DiskStore, openDiskStore } from '../store/disk/open-store.ts';
import { testContext } from '../testing/inspect.ts';
import { rawZip, zipOf } from '../testing/packages/raw-zip.ts';
import { samplePackage } from '../testing/packages/sample-package.ts';
import { SAMPLE_RUN } from '../testing/sample-record.ts';
import { readTree, tempFolder, writeTree } from '../testing/temp-folder.ts';
import { importPackage } from './import-package.ts';
import { listInstalled, removeInstalled, resolveInstalled } from './installed-packages.ts';
import { packFolder } from './pack-package.ts';

const cli = fileURLToPath(new URL('../../../../apps/cli/dist/crewagent.js', import.meta.url));

async function createStore(): Promise<DiskStore> {
  return openDiskStore(join(await tempFolder(), 'store'));
}

async function archiveFile(bytes: Buffer): Promise<string> {
  const file = join(await tempFolder(), 'package.bmad');
  await writeFile(file, bytes);
  return file;
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'none';
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
    return error.code;
  }
}

describe('importing', () => {
  it('[B30] installs the same bytes once, other bytes of the same version beside them', async () => {
    const store = await createStore();
    const first = await importPackage(await archiveFile(zipOf(samplePackage())), store, testContext);
    const again = await importPackage(await archiveFile(zipOf(samplePackage())), store, testContext);
    const other = await importPackage(
      await archiveFile(zipOf({ ...samplePackage(), 'assets/x.md': 'more' })),
      store,
      testContext,
    );
    expect(first.alreadyInstalled).toBe(false);
    expect(again).toMatchObject({ alreadyInstalled: true, package: { hash: first.package.hash } });
    expect(other.package.hash).not.toBe(first.package.hash);
    expect((await listInstalled(store)).map(({ name, version }) => `${name}@${version}`)).toEqual([
      'sample@1.0.0',
      'sample@1.0.0',
    ]);
  });

  it('[B30] gives a folder the identity of its packed form', async () => {
    const folder = await tempFolder();
    await writeTree(folder, samplePackage());
    const packed = await packFolder(folder, join(await tempFolder(), 'p.bmad'), testContext);
    const { package: installed } = await importPackage(folder, await createStore(), testContext);
    expect(installed.hash).toBe(packed.sha256);
  });

  it('[B80] stores the validated form, the same that a run would create', async () => {
    const store = await createStore();
    const files = samplePackage();
    const { package: installed } = await importPackage(await archiveFile(zipOf(files)), store, testContext);
    const stored = await store.packages.readCompiled(installed.hash);
    await rm(store.compiledPackage(installed.hash));
    await loadInstalled(installed.hash, store, testContext);
    expect(stored).toBeDefined();
    expect(await store.packages.readCompiled(installed.hash)).toEqual(stored);
  });

  it('[B80] reads every file of an installed archive, also those that a folder is packed without', async () => {
    const store = await createStore();
    const files = samplePackage(({ graph }) => {
      if (graph.nodes[0]) graph.nodes[0].file = 'artifacts/step-01.md';
    });
    files['artifacts/step-01.md'] = files['steps/step-01.md'] ?? '';
    const { package: installed } = await importPackage(await archiveFile(zipOf(files)), store, testContext);
    await rm(store.compiledPackage(installed.hash));
    const loaded = await loadInstalled(installed.hash, store, testContext);
    expect(loaded.workflows[0]?.nodes.get('step-01')?.file).toBe('artifacts/step-01.md');
  });

  it('[B30] unpacks exactly the files, read-only and private', async () => {
    const store = await createStore();
    const { package: installed } = await importPackage(
      await archiveFile(zipOf(samplePackage(), [{ name: 'empty/', mode: 0o040755, method: 0 }])),
      store,
      testContext,
    );
    const folder = store.packages.folder(installed.hash);
    const tree = await readTree(folder);
    expect(tree).toEqual({ ...samplePackage(), 'steps/': '' });
    const modes = await Promise.all(
      ['', 'steps', 'bmad.json', 'steps/end-99.md'].map(async (path) =>
        ((await stat(join(folder, path))).mode & 0o777).toString(8),
      ),
    );
    expect(modes).toEqual(['500', '500', '400', '400']);
    expect(((await stat(store.packagesFolder)).mode & 0o777).toString(8)).toBe('700');
  });

  it.each([
    ['a bad name', zipOf(samplePackage(), [{ name: '../evil', data: 'x' }])],
    ['a bad document', zipOf(samplePackage(() => undefined, { 'agents.json': '{' }))],
    ['a damaged asset', zipOf(samplePackage(), [{ name: 'assets/x', data: 'hello', declaredCrc: 7 }])],
    [
      'a lying size',
      zipOf(samplePackage(), [{ name: 'assets/x', data: 'hello'.repeat(99), declaredSize: 9 }]),
    ],
    ['no package', rawZip([{ name: 'readme.txt', data: 'x' }])],
  ])('[B30] leaves nothing on disk after rejecting %s', async (_, bytes) => {
    const folder = await tempFolder();
    const store = openDiskStore(join(folder, 'store'));
    const file = await archiveFile(bytes);
    expect(await codeOf(importPackage(file, store, testContext))).toBe('PACKAGE_INVALID');
    // The store is created when the first file is unpacked.
    const left = Object.keys(await readTree(folder));
    expect(left.filter((path) => path !== 'store/' && path !== 'store/packages/')).toEqual([]);
  });

  it('[B30] imports the same package several times at once', async () => {
    const store = await createStore();
    const file = await archiveFile(zipOf(samplePackage()));
    const results = await Promise.all(
      Array.from({ length: 8 }, () => importPackage(file, store, testContext)),
    );
    expect(results.filter(({ alreadyInstalled }) => !alreadyInstalled)).toHaveLength(1);
    const hash = results[0]?.package.hash ?? '';
    expect((await readdir(store.packagesFolder)).sort()).toEqual([hash, `${hash}.json`]);
  });

  it('[B30] a killed import is invisible and cleaned up, one in progress is left alone', async () => {
    const assets = Array.from({ length: 1_500 }, (_, index) => ({
      name: `assets/${index}`,
      data: `asset ${index}`,
      method: 0,
    }));
    const file = await archiveFile(zipOf(samplePackage(), assets));
    const { store, child, staging } = await frozenImport(file);
    expect(await listInstalled(store)).toEqual([]);
    await store.packages.list();
    expect(await readdir(store.packagesFolder)).toContain(staging);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await readdir(store.packagesFolder)).toEqual([staging]);
    const { package: installed } = await importPackage(file, store, testContext);
    expect((await readdir(store.packagesFolder)).sort()).toEqual([installed.hash, `${installed.hash}.json`]);
  });

  it('[B30] an archive that changes during validation is not installed under the wrong hash', async () => {
    const store = await createStore();
    const file = await archiveFile(
      zipOf(
        samplePackage(({ agents }) =>
          Object.assign(agents.agents[0] ?? {}, { tools: { mcp: { allowedServers: ['x'] } } }),
        ),
      ),
    );
    const other = zipOf(samplePackage(({ bmad }) => Object.assign(bmad, { name: 'other' })));
    const changing = new (class extends Set<string> {
      override has(): boolean {
        writeFileSync(file, other);
        return true;
      }
    })();
    expect(await codeOf(importPackage(file, store, { ...testContext, knownServers: changing }))).toBe(
      'PACKAGE_CHANGED',
    );
    expect(await readdir(store.packagesFolder)).toEqual([]);
  });

  it('[B30] staging folders a day old are cleaned up even if their process id is in use again', async () => {
    const store = await createStore();
    const stale = join(store.packagesFolder, `.incoming-${process.pid}-${'0'.repeat(16)}`);
    const fresh = join(store.packagesFolder, `.incoming-${process.pid}-${'1'.repeat(16)}`);
    for (const folder of [stale, fresh]) await mkdir(folder, { recursive: true });
    await utimes(stale, new Date(0), new Date(0));
    expect(await listInstalled(store)).toEqual([]);
    expect(await readdir(store.packagesFolder)).toEqual([`.incoming-${process.pid}-${'1'.repeat(16)}`]);
  });

  it('[B30] a store that is not writable is reported in one sentence', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'store'), 'a file stands here');
    const work = importPackage(
      await archiveFile(zipOf(samplePackage())),
      openDiskStore(join(folder, 'store')),
      testContext,
    );
    await expect(work).rejects.toThrow(
      /^Could not (?:install ".*"|read sharing.json): there is a file where a folder is needed\.$/,
    );
  });

  it('[B30] a full disk is reported in one sentence and leaves nothing', async () => {
    // The kernel rejects a write beyond the file size limit half-way, like a full disk.
    const store = await createStore();
    const file = await archiveFile(
      zipOf(samplePackage(), [{ name: 'assets/x', data: Buffer.alloc(4_000_000, 'noise'), method: 0 }]),
    );
    const child = spawn(
      'bash',
      [
        '--norc',
        '-c',
        `ulimit -f 1000; trap '' XFSZ; exec "${process.execPath}" "${cli}" packages add "${file}"`,
      ],
      {
        env: { ...process.env, CREWAGENT_HOME: store.root },
      },
    );
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(2);
    expect(stderr).toMatch(/Could not install .*: the file is too large for this disk\./);
    expect(await readdir(store.packagesFolder)).toEqual([]);
  });
});

/** A process that was frozen while it installed the package. One that was done before it could be frozen is replaced by another. */
async function frozenImport(file: string) {
  for (;;) {
    const store = await createStore();
    const child = spawn(process.execPath, [cli, 'packages', 'add', file], {
      env: { ...process.env, CREWAGENT_HOME: store.root },
    });
    let staging: string | undefined;
    while (staging === undefined && child.exitCode === null) {
      staging = await findStaging(store);
      await new Promise(setImmediate);
    }
    child.kill('SIGSTOP');
    if (staging !== undefined && staging === (await findStaging(store))) return { store, child, staging };
    child.kill('SIGKILL');
  }
}

/** The folder of an import in progress, once it has content. */
async function findStaging(store: DiskStore): Promise<string | undefined> {
  const filesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
  const staging = (await filesIn(store.packagesFolder)).find((name) => name.startsWith('.incoming-'));
  if (staging === undefined) return undefined;
  return (await filesIn(join(store.packagesFolder, staging))).length > 0 ? staging : undefined;
}

describe('installed packages', () => {
  async function installed(): Promise<{ store: DiskStore; hashes: string[] }> {
    const store = await createStore();
    const hashes: string[] = [];
    for (const [name, version] of [
      ['alpha', '1.0.0'],
      ['alpha', '2.0.0'],
      ['beta', '1.0.0'],
    ] as const) {
      const bytes = zipOf(samplePackage(({ bmad }) => Object.assign(bmad, { name, version })));
      hashes.push((await importPackage(await archiveFile(bytes), store, testContext)).package.hash);
    }
    return { store, hashes };
  }

  it('[B30] are found by hash, hash prefix, name, or name@version', async () => {
    const { store, hashes } = await installed();
    for (const ref of [hashes[2] ?? '', (hashes[2] ?? '').slice(0, 8), 'beta', 'beta@1.0.0']) {
      expect((await resolveInstalled(store, ref)).hash).toBe(hashes[2]);
    }
    expect((await resolveInstalled(store, 'alpha@2.0.0')).hash).toBe(hashes[1]);
  });

  it('[B30] are never guessed', async () => {
    const { store, hashes } = await installed();
    await expect(resolveInstalled(store, 'alpha')).rejects.toThrow(
      new RegExp(`matches 2 installed packages: .*${(hashes[0] ?? '').slice(0, 12)}`),
    );
    expect((await resolveInstalled(store, 'alpha', { isNewest: true })).hash).toBe(hashes[1]);
    expect(await codeOf(resolveInstalled(store, 'gamma'))).toBe('PACKAGE_NOT_FOUND');
    expect(await codeOf(resolveInstalled(store, '../packages'))).toBe('PACKAGE_NOT_FOUND');
  });

  it('[B30] are removed, but not while an unfinished run needs them', async () => {
    const { store, hashes } = await installed();
    const [needed, finished, free] = hashes as [string, string, string];
    const [one, other] = [SAMPLE_RUN.workId, SAMPLE_RUN.workId.replace(/cc$/, 'dd')];
    const run = (workId: string, record: unknown): Promise<void> =>
      writeTree(store.work({ ...SAMPLE_RUN, workId }).folder, {
        'run.json': typeof record === 'string' ? record : JSON.stringify(record),
      });
    await run(one, { runId: one, packageHash: needed, phase: 'WaitingUser' });
    await run(other, { runId: other, packageHash: finished, phase: 'Completed' });
    await removeInstalled(store, free);
    await removeInstalled(store, finished);
    await expect(removeInstalled(store, needed)).rejects.toMatchObject({
      code: 'PACKAGE_IN_USE',
      details: { runs: [one] },
    });
    await run(one, `{"runId":"${one}","packageHash":"${needed}",`);
    expect(await codeOf(removeInstalled(store, needed))).toBe('PACKAGE_IN_USE');
    await run(one, '');
    expect(await codeOf(removeInstalled(store, needed))).toBe('PACKAGE_IN_USE');
    await removeInstalled(store, needed, { force: true });
    expect(await readdir(store.packagesFolder)).toEqual([]);
  });

  it('[B30] a damaged one is listed as such', async () => {
    const { store, hashes } = await installed();
    const manifest = join(store.packages.folder(hashes[0] ?? ''), 'bmad.json');
    await chmod(manifest, 0o600);
    await writeFile(manifest, '{');
    expect((await listInstalled(store)).map(({ name }) => name)).toEqual(['(damaged)', 'alpha', 'beta']);
  });

  it('[B30] a store that is not readable is reported in one sentence', async () => {
    const root = await tempFolder();
    await writeFile(join(root, 'packages'), 'a file');
    await expect(listInstalled(openDiskStore(root))).rejects.toMatchObject({ code: 'DISK' });
    await expect(removeInstalled(openDiskStore(root), 'x')).rejects.toMatchObject({ code: 'DISK' });
  });

  it('[B30] an empty store lists nothing', async () => {
    expect(await listInstalled(await createStore())).toEqual([]);
  });

  it('[B30] a person without special rights can remove read-only packages', async () => {
    const store = await createStore();
    const asNobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    await mkdir(store.root);
    if (asNobody.uid)
      for (const folder of [join(store.root, '..'), store.root]) await chown(folder, 65_534, 65_534);
    const file = await archiveFile(zipOf(samplePackage()));
    await chmod(file, 0o644);
    await chmod(join(file, '..'), 0o755);
    // That user may not be able to read the checkout, so the command line is copied.
    const home = await tempFolder();
    await chmod(home, 0o755);
    const dist = join(cli, '..');
    for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      await writeTree(home, { [path.slice(dist.length + 1)]: await readFile(path) });
    }
    const command = async (...args: string[]): Promise<number> => {
      const child = spawn(process.execPath, [join(home, 'crewagent.js'), 'packages', ...args], {
        ...asNobody,
        env: { ...process.env, CREWAGENT_HOME: store.root },
        cwd: home,
      });
      return ((await once(child, 'exit')) as [number])[0];
    };
    expect(await command('add', file)).toBe(0);
    // The package, its seal, and where it came from.
    expect(await readdir(store.packagesFolder)).toHaveLength(3);
    expect(await command('remove', 'sample')).toBe(0);
    expect(await readdir(store.packagesFolder)).toEqual([]);
  });
});
