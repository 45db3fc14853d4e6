import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSigningKey, findOwnKey } from '../sharing/signing-keys.ts';
import { readTree, writeTree } from '../testing/file-tree.ts';
import { killPoints } from '../testing/kill-points.ts';
import {
  adoptFile,
  createPlayer,
  exportRun,
  fortyNodes,
  openFile,
  outcomeOf,
} from '../testing/rigs/bundle-rig.ts';
import { createRuntimeRig, type RuntimeRig } from '../testing/rigs/runtime-rig.ts';
import { canMount, mountSmallDisk } from '../testing/small-disk.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const HELLO = join(import.meta.dirname, '../../../../examples/hello-branch');

/** A run that waits for an answer. */
async function startHello() {
  const rig = await createRuntimeRig();
  const run = await rig.create({ package: HELLO, model: { model: 'rehearsal' } });
  await run.engine.start();
  await run.close();
  return { rig, runId: run.record.workId, file: join(await tempFolder(), 'run.crewrun') };
}

async function planFor(rig: RuntimeRig, file: string) {
  const opened = await openFile(rig, file);
  try {
    return await (await rig.runtime.bundles()).plan(opened, { path: rig.project });
  } finally {
    await opened.close();
  }
}

describe('a run in one file', { timeout: 600_000 }, () => {
  it('[W1] goes on from every node in another store with another provider as if it had never moved', async () => {
    const folder = await tempFolder();
    await writeTree(join(folder, 'package'), fortyNodes());
    const ada = await createPlayer('ada');
    const points = killPoints(37, 4);
    const fileAt = (point: number): string => join(folder, `${point}.crewrun`);
    const run = await ada.create({ package: join(folder, 'package'), limits: { maxTokens: 100 } });
    let stop = await run.engine.start();
    await run.close();
    let stops = 0;
    while (stop.phase !== 'Completed') {
      expect(stop.reason?.code).toBe('ENGINE_BUDGET_EXCEEDED');
      stops++;
      if (points.includes(stops)) await exportRun(ada, fileAt(stops));
      const again = await ada.runtime.openRun(run.record.workId);
      stop = await again.engine.resume();
      await again.close();
    }
    expect(stops).toBe(37);
    const whole = await outcomeOf(ada, run.record.workId);
    expect(Object.keys(whole.files).length).toBeGreaterThan(7);
    for (const point of points) {
      const ben = await createPlayer('ben');
      await adoptFile(ben, fileAt(point));
      let moved = await ben.runtime.openRun(run.record.workId);
      for (let stopped = await moved.engine.resume(); stopped.phase !== 'Completed'; ) {
        await moved.close();
        moved = await ben.runtime.openRun(run.record.workId);
        stopped = await moved.engine.resume();
      }
      await moved.close();
      expect([point, await outcomeOf(ben, run.record.workId)]).toEqual([point, whole]);
      expect(ben.provider.requests.length).toBeGreaterThan(0);
      expect([...ada.bugs, ...ben.bugs]).toEqual([]);
    }
  });

  it('[W1] has the same bytes each time, also after it came back', async () => {
    const { rig, file } = await startHello();
    await exportRun(rig, file);
    const again = `${file}.again`;
    await exportRun(rig, again);
    expect(await readFile(again)).toEqual(await readFile(file));
  });

  it('[W2] says who signed it and proves its requests; [W3] looking at it stores nothing', async () => {
    const { rig, file, runId } = await startHello();
    await createSigningKey('Ada', rig.runtime.store, new Date());
    const { privateKey, fingerprint } = await findOwnKey('Ada', rig.runtime.store);
    await exportRun(rig, file, { privateKey });
    const other = await createRuntimeRig();
    await writeTree(other.project, { 'own.txt': 'mine' });
    const before = await readTree(join(other.root, 'store')).catch(() => ({}));
    const opened = await openFile(other, file);
    const { shown } = opened;
    expect(shown).toMatchObject({
      signer: { status: 'new', fingerprint },
      work: { workId: runId, phase: 'WaitingUser', title: 'Hello, branch' },
      packages: [{ name: 'hello-branch', isInside: true, isInstalled: false }],
      requests: { proved: 1, unproved: [], unknown: 0 },
      runs: [{ evidence: { visits: [{ nodeId: 'step-01-intake', outcome: 'open' }] } }],
    });
    const plan = await (await other.runtime.bundles()).plan(opened, { path: other.project });
    expect(plan).toMatchObject({ relation: 'new', created: [], model: { to: 'rehearsal', hasKey: true } });
    await opened.close();
    expect(await other.runtime.listRuns()).toEqual([]);
    expect(await other.runtime.store.projects.list()).toEqual([]);
    const isFile = (path: string): boolean => !path.endsWith('/');
    expect(Object.keys(await readTree(join(other.root, 'store'))).filter(isFile)).toEqual(
      Object.keys(before),
    );
    // The next file of the run has to have the same signer.
    await adoptFile(other, file);
    await exportRun(rig, `${file}.unsigned`);
    const unsigned = await openFile(other, `${file}.unsigned`);
    expect(unsigned.shown.signer).toMatchObject({ status: 'missing' });
    await unsigned.close();
  });

  it('[W2] is refused with the place if one byte was changed, cut off or added', async () => {
    const { rig, file } = await startHello();
    await createSigningKey('Ada', rig.runtime.store, new Date());
    await exportRun(rig, file, { privateKey: (await findOwnKey('Ada', rig.runtime.store)).privateKey });
    const bytes = await readFile(file);
    const other = await createRuntimeRig();
    const changed = `${file}.changed`;
    const refusalOf = async (content: Buffer): Promise<string> => {
      await writeFile(changed, content);
      try {
        await (await openFile(other, changed)).close();
        return 'accepted';
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    };
    // Every region: headers and contents at the beginning, the list of contents, the end with digest and signature.
    const positions = fc.oneof(
      fc.nat({ max: bytes.length - 1 }),
      fc.integer({ min: bytes.length - 800, max: bytes.length - 1 }),
    );
    await fc.assert(
      fc.asyncProperty(positions, fc.integer({ min: 0, max: 7 }), async (at, bit) => {
        const flipped = Buffer.from(bytes);
        flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
        const refusal = await refusalOf(flipped);
        expect([at, refusal]).toEqual([at, expect.stringMatching(PLACE)]);
      }),
      { numRuns: 200 },
    );
    for (const length of [0, 3, 100, bytes.length - 500, bytes.length - 1])
      expect(await refusalOf(bytes.subarray(0, length))).toMatch(/not accepted/);
    expect(await refusalOf(Buffer.concat([bytes, Buffer.from('x')]))).toMatch(/digest or signature/);
    expect(await refusalOf(bytes)).toBe('accepted');
  });

  it('[W5] is encrypted with a passphrase; a wrong one and a changed byte are refused', async () => {
    const { rig, file } = await startHello();
    await exportRun(rig, file, { passphrase: 'correct horse' });
    const bytes = await readFile(file);
    expect(bytes.includes('hello-branch')).toBe(false);
    const other = await createRuntimeRig();
    const opened = await openFile(other, file, 'correct horse');
    expect(opened.shown).toMatchObject({ isEncrypted: true, requests: { proved: 1 } });
    await opened.close();
    await expect(openFile(other, file, 'wrong horse')).rejects.toMatchObject({ code: 'TRANSFER_REFUSED' });
    for (const at of [2, 8, 9, 20, 40, bytes.length - 1]) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      await writeFile(`${file}.changed`, flipped);
      await expect(openFile(other, `${file}.changed`, 'correct horse')).rejects.toMatchObject({
        code: 'TRANSFER_REFUSED',
      });
    }
    // A cost that would take hours, or gigabytes.
    const costly = Buffer.from(bytes);
    costly[8] = 30;
    await writeFile(`${file}.costly`, costly);
    await expect(openFile(other, `${file}.costly`, 'correct horse')).rejects.toThrow(
      /beginning of the encrypted/,
    );
  });

  it('[W4] never replaces a file that the person changed, and writes what is missing', async () => {
    const folder = await tempFolder();
    await writeTree(join(folder, 'package'), fortyNodes());
    const ada = await createPlayer('ada');
    const run = await ada.create({ package: join(folder, 'package'), limits: { maxTokens: 950 } });
    await run.engine.start();
    await run.close();
    const file = join(folder, 'run.crewrun');
    await exportRun(ada, file);
    const ben = await createPlayer('ben');
    await writeTree(ben.project, { 'artifacts/n4.md': 'my own' });
    expect(await planFor(ben, file)).toMatchObject({
      relation: 'new',
      created: ['artifacts/n8.md'],
      conflicts: ['artifacts/n4.md'],
      model: { from: 'ada-model', to: 'ben-model' },
    });
    await expect(adoptFile(ben, file)).rejects.toMatchObject({ code: 'FILE_CONFLICT' });
    expect(await ben.runtime.listRuns()).toEqual([]);
    const opened = await openFile(ben, file);
    const bundles = await ben.runtime.bundles();
    const adopted = await bundles.adopt(opened, { chosen: { path: ben.project }, file, keepFiles: true });
    await opened.close();
    expect(adopted).toMatchObject({ written: ['artifacts/n8.md'], kept: ['artifacts/n4.md'] });
    expect(await readFile(join(ben.project, 'artifacts/n4.md'), 'utf8')).toBe('my own');
    expect(await planFor(ben, file)).toMatchObject({
      relation: 'same',
      refusal: expect.any(String) as string,
    });
    // It goes on there; the older file does not bring it back.
    const moved = await ben.runtime.openRun(run.record.workId);
    await moved.engine.resume();
    await moved.close();
    expect(await planFor(ben, file)).toMatchObject({ relation: 'older' });
  });

  it.runIf(canMount)('[W4] leaves the old file, and nothing of a run, on a full disk', async () => {
    const { rig, file, runId } = await startHello();
    const small = await tempFolder();
    mountSmallDisk(small, 'size=16k');
    await expect(exportRun(rig, join(small, 'run.crewrun'))).rejects.toMatchObject({ code: 'DISK' });
    expect(await readTree(small)).toEqual({});
    await exportRun(rig, file);
    const other = await createRuntimeRig();
    const { storeRoot, disk } = await storeOnSmallDisk(other);
    await expect(adoptFile(other, file)).rejects.toMatchObject({ code: 'DISK' });
    disk.change('size=4m');
    expect(storeRoot).not.toBe('');
    await (await other.runtime.bundles()).finish();
    expect((await other.runtime.listRuns()).length).toBeLessThanOrEqual(1);
    await adoptFile(other, file).catch((error: Error) => expect(error.message).toContain('has all of'));
    expect((await other.runtime.listRuns()).map(({ workId }) => workId)).toEqual([runId]);
  });
});

const PLACE = /changed or damaged at|would unpack|not a \.crewrun file|cut off|signature of/;

async function storeOnSmallDisk({ root }: RuntimeRig) {
  const storeRoot = join(root, 'store');
  await mkdir(storeRoot, { recursive: true });
  const disk = mountSmallDisk(storeRoot, 'size=120k');
  return { storeRoot, disk };
}
