import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { createCompiledCodeFile, openCompiledCodeFile } from '@crewagent/core';
import { describe, expect, it } from 'vitest';
import { samplePackage } from '../../../packages/core/src/testing/packages/sample-package.ts';
import { limitMemory, optimizeLater, withDefaultFlags } from './limit-memory.ts';
import { createCliRig } from './testing/cli-rig.ts';
import { chunksWith, loadedChunks, noteLoads } from './testing/loaded-files.ts';
import { ENTRY } from './testing/running-command.ts';

const BUILT = join(dirname(ENTRY), 'code');

async function createStore() {
  const rig = await createCliRig();
  await mkdir(rig.store, { mode: 0o700 });
  const folder = join(rig.store, 'cache', 'code', `${process.version}-${process.arch}`);
  return { rig, folder, file: join(folder, 'conversations') };
}

/** The stored code of each file still has the functions that the first one had; V8 may write them a little shorter. */
function expectAddedTo(first: ReadonlyMap<string, Buffer>, store: string): void {
  const stored = createCompiledCodeFile(store, 'conversations').read();
  const common = [...first].filter(([name]) => stored.has(name));
  expect(common.length).toBeGreaterThan(1);
  for (const [name, { length }] of common) expect(stored.get(name)?.length).toBeGreaterThan(0.95 * length);
}

/** Chunks for which the build compiled code of a command: the names of their files by those of the chunks. */
function loadedBy(command: string): Map<string, string> {
  const version = `${process.version}-${process.arch}`;
  const [header = ''] = readFileSync(join(BUILT, version, command), 'latin1').split('\n', 1);
  const { files } = JSON.parse(header) as { files: [name: string, size: number][] };
  return new Map(files.map(([name]) => [name.slice(0, -'-12345678.js'.length), name]));
}

function readChunk(name = ''): string {
  return readFileSync(join(dirname(ENTRY), 'chunks', name), 'latin1');
}

describe('the built program', () => {
  it('[C24] uses the code that an earlier start compiled', async () => {
    const { rig, folder, file } = await createStore();
    const first = await rig.spawn('conversations').ended;
    const written = statSync(file);
    expect(first.code).toBe(0);
    expect(await rig.spawn('conversations').ended).toEqual(first);
    // Written again if V8 had rejected any of it.
    expect(statSync(file).ino).toBe(written.ino);
    expect(readdirSync(folder)).toEqual(['conversations']);
  });

  it('loads for a list only the commands, the store and what both need', () => {
    const loaded = loadedBy('runs');
    expect([...loaded.keys()].sort()).toEqual(['ground', 'help', 'list-works', 'runs', 'store', 'texts']);
    // Texts of help in another language have a chunk of their own.
    expect(readChunk(loaded.get('help'))).not.toContain('\\u8fd0\\u884c');
  });

  it('loads for a validation nothing of runs and of the store', () => {
    const loaded = [...loadedBy('validate').keys()];
    expect(loaded).toContain('load-package');
    for (const name of ['run', 'story', 'store', 'cli']) expect(loaded).not.toContain(name);
  });

  it('loads nothing before the compiled code but what finds it', () => {
    const [, start] =
      /\.\/chunks\/(start-[\w-]+\.js)/.exec(readFileSync(join(dirname(ENTRY), 'crewagent.js'), 'latin1')) ??
      [];
    const required = [...readChunk(start).matchAll(/require\("\.\/([a-z-]+)-/g)].map(([, name]) => name);
    expect(required).toEqual(['rolldown-runtime']);
  });

  it('[C24] stores nothing where the code of the build is complete', async () => {
    const { rig } = await createStore();
    expect(openCompiledCodeFile(BUILT, 'help').read().size).toBeGreaterThan(0);
    expect(await rig.spawn('help', 'run').ended).toMatchObject({ code: 0 });
    expect(readdirSync(rig.store)).toEqual([]);
  });

  it('[C24] a command without code of its own uses that of the build, and adds to it', async () => {
    const { rig } = await createStore();
    const built = openCompiledCodeFile(BUILT, 'conversations');
    expect(built.read()).toEqual(new Map());
    expect(await rig.spawn('conversations').ended).toMatchObject({ code: 0 });
    expectAddedTo(built.readOther(), rig.store);
  });

  it('[C24] or that of another command, without code of the build', async () => {
    const { rig, folder } = await createStore();
    const other = openCompiledCodeFile(BUILT, 'packages').read();
    createCompiledCodeFile(rig.store, 'packages').write(other);
    expect(await rig.spawn('conversations').ended).toMatchObject({ code: 0 });
    expectAddedTo(other, rig.store);
    const written = statSync(join(folder, 'conversations'));
    await rig.spawn('conversations').ended;
    expect(statSync(join(folder, 'conversations')).ino).toBe(written.ino);
  });

  it('[C24] replaces damaged code', async () => {
    const { rig, file } = await createStore();
    await rig.spawn('conversations').ended;
    const content = readFileSync(file);
    writeFileSync(file, Buffer.from(content).fill(0x55, Math.floor(content.length / 2)));
    expect(await rig.spawn('conversations').ended).toMatchObject({ code: 0 });
    const written = statSync(file);
    expect(await rig.spawn('conversations').ended).toMatchObject({ code: 0 });
    expect(statSync(file).ino).toBe(written.ino);
  });

  it('[C24] removes code of files that no longer exist', async () => {
    const { rig } = await createStore();
    const code = createCompiledCodeFile(rig.store, 'conversations');
    code.write(new Map([['gone-12345678.js', Buffer.from('code')]]));
    await rig.spawn('conversations').ended;
    const names = [...code.read().keys()];
    expect(names.length).toBeGreaterThan(1);
    expect(names).not.toContain('gone-12345678.js');
  });

  it('[C24] stores nothing for a wrong command', async () => {
    const { rig } = await createStore();
    expect(await rig.spawn('rnu').ended).toMatchObject({ code: 2 });
    expect(readdirSync(rig.store)).toEqual([]);
  });

  it('[C24] a process with limited memory compiles code for one without a limit', async () => {
    const source = '(function () { return 1 })';
    const before = new Script(source);
    await limitMemory();
    await optimizeLater();
    const cachedData = withDefaultFlags(() => before.createCachedData());
    // With names of their own, because V8 remembers what this process compiled.
    const limited = new Script(source, { cachedData, filename: 'limited' });
    const unlimited = withDefaultFlags(() => new Script(source, { cachedData, filename: 'unlimited' }));
    expect([limited.cachedDataRejected, unlimited.cachedDataRejected]).toEqual([true, false]);
  });

  it('the ways in for other programs, hooks and telemetry are loaded only where they are used', async () => {
    const rig = await createCliRig();
    const pkg = await rig.write('package', samplePackage());
    await noteLoads(rig);
    const unused = chunksWith([
      'HOST_GUIDE',
      'io.modelcontextprotocol/',
      'session/request_permission',
      'context_servers',
      'kept by the MCP server',
      'gen_ai.client.token.usage',
      'x-crewagent-signature',
    ]);
    const used = async (...args: string[]): Promise<string[]> => {
      const running = rig.spawn(...args);
      if (args[0] === 'serve') await running.printed('/#token=').then(() => running.kill('SIGTERM'));
      const loaded = loadedChunks((await running.ended).err);
      return loaded.filter((name) => unused.includes(name));
    };
    expect(await used('--help')).toEqual([]);
    expect(await used('serve', '--no-open')).toEqual([]);
    expect(await used('run', pkg, '-p', rig.project, '--model', 'rehearsal')).toEqual([]);
    expect(await used('hooks', 'list')).toEqual([]);
    expect(await used('mcp', 'serve', '--project', rig.project)).not.toEqual([]);
  });
});
