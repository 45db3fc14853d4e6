import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeTree } from '../../../packages/core/src/testing/file-tree.ts';
import { startFakeProvider } from '../../../packages/core/src/testing/models/fake-provider.ts';
import { textReply } from '../../../packages/core/src/testing/models/provider-replies.ts';
import { samplePackage } from '../../../packages/core/src/testing/packages/sample-package.ts';
import { createTinyGguf } from '../../../packages/core/src/testing/packages/tiny-gguf.ts';
import { attach, createCliRig } from './testing/cli-rig.ts';
import { chunksWith, loadedChunks, noteLoads } from './testing/loaded-files.ts';

describe('model', () => {
  it('[C22] takes a GGUF file of one’s own, lists it beside what can be installed, and removes it', async () => {
    const rig = await createCliRig();
    expect((await rig.run('model', 'list')).out).toContain('  Qwen3 4B (Q4_K_M), about 2.5 GB, Apache-2.0');
    expect((await rig.run('model', 'list')).out).toContain(
      'https://huggingface.co/models?search=Qwen%2FQwen3-4B-GGUF',
    );
    // As if the part that runs models had been installed before.
    const store = (await rig.run('config', 'path')).out.trim().replace(/settings\.json$/, '');
    const runtime = join(store, 'local-models/runtime/node_modules/node-llama-cpp/dist');
    await writeTree(runtime, { 'index.js': '' });
    const file = join(rig.project, 'tiny.gguf');
    await writeFile(file, createTinyGguf());
    expect(await rig.run('model', 'install', file)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--yes') as string,
    });
    expect((await rig.run('model', 'install', file, '--yes')).out).toContain(
      '✔ tiny is installed, and the default',
    );
    expect(JSON.parse((await rig.run('model', 'list', '--json')).out)).toMatchObject([
      { name: 'tiny', file },
    ]);
    expect((await rig.run('config', 'get', 'models.tiny.provider')).out).toBe('builtin\n');
    expect((await rig.run('model', 'remove', 'tiny')).code).toBe(0);
    expect((await readFile(file)).length).toBeGreaterThan(0);
    expect(JSON.parse((await rig.run('model', 'list', '--json')).out)).toEqual([]);
  });

  it('[N70] nothing that belongs to built-in models is loaded for a run with another model', async () => {
    const rig = await createCliRig();
    const provider = attach(await startFakeProvider([textReply('Hello.')]));
    // Where the runtime comes from, the script that drives it, and the models that can be downloaded.
    const builtin = chunksWith(['@node-llama-cpp/', 'getLlama(', 'Qwen3 4B']);
    await noteLoads(rig);
    const pkg = await rig.write('package', samplePackage());
    const { code, err } = await rig.spawn('run', pkg, '-p', rig.project, ...provider.options).ended;
    expect(code).toBe(3);
    const loaded = loadedChunks(err);
    expect(loaded.length).toBeGreaterThan(10);
    expect(builtin.filter((name) => loaded.includes(name))).toEqual([]);
  });

  it('[C22] refuses what is no model', async () => {
    const rig = await createCliRig();
    const file = join(rig.project, 'wrong.gguf');
    await writeFile(file, 'not a model');
    expect(await rig.run('model', 'install', file, '--yes')).toMatchObject({
      code: 2,
      err: expect.stringContaining('is not a GGUF file') as string,
    });
    const sum = 'a'.repeat(64);
    for (const [args, sentence] of [
      [['nothing'], /There is no model "nothing" here\..*--url/],
      [['qwen3-4b'], /Qwen3 4B .* does not come with CrewAgent\..*--sha256/],
      [['a', '--url', 'https://example.org/a.gguf'], /needs the SHA-256 checksum/],
      [['a', '--url', 'https://example.org/a.gguf', '--sha256', 'abc'], /needs the SHA-256 checksum/],
      [['a', '--url', 'file:///a.gguf', '--sha256', sum], /is not an https address/],
      [['a', '--url', 'https://example.org/a.gguf', '--file', 'a.gguf'], /either --file or --url/],
      [['a', '--file', 'missing.gguf'], /There is no GGUF file "missing\.gguf"/],
    ] as const)
      expect(await rig.run('model', 'install', ...args, '--yes')).toMatchObject({
        code: 2,
        err: expect.stringMatching(sentence) as string,
      });
    expect(await rig.run('model', 'remove', 'nothing')).toMatchObject({ code: 2 });
  });
});
