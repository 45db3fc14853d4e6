import { once } from 'node:events';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeTree } from '../../../core/src/testing/file-tree.ts';
import { type FakeProvider, startFakeProvider } from '../../../core/src/testing/models/fake-provider.ts';
import { statusReply, textReply, toolCallReply } from '../../../core/src/testing/models/provider-replies.ts';
import { samplePackage, workflow } from '../../../core/src/testing/packages/sample-package.ts';
import { addScriptedModel, createServerRig } from '../testing/server-rig.ts';

const KEY = 'sk-very-secret-key-of-mine';

const keysOf = ({ requests }: FakeProvider): string[] =>
  requests.map(({ headers }) => (headers.authorization ?? '').replace('Bearer ', ''));

describe('settings', () => {
  it('[H20] are changed in part, and shown with their defaults and the environment', async () => {
    const { client } = await createServerRig({ env: { CREWAGENT_MODEL: 'm', OPENAI_API_KEY: KEY } });
    const before = await client.settings.show();
    expect(before.settings).toEqual(before.defaults);
    expect(before.environment).toEqual({ model: 'm', hasKey: true });
    const after = await client.settings.update({
      body: { limits: { maxTurns: 7 }, tools: { approval: 'ask' } },
    });
    expect(after.settings).toMatchObject({
      limits: { maxTurns: 7 },
      tools: { approval: 'ask', artifactsDir: 'artifacts' },
    });
    const back = await client.settings.update({ body: { limits: { maxTurns: null } } });
    expect(back.settings.limits.maxTurns).toBe(before.defaults.limits.maxTurns);
  });

  it('[H20] distinguish decided values from defaults', async () => {
    const { client } = await createServerRig();
    expect((await client.settings.show()).decided).toEqual({});
    const change = { limits: { maxTurns: 50 }, tools: { fs: { secretPatterns: ['*.x'] } } };
    expect((await client.settings.update({ body: change })).decided).toEqual(change);
    expect((await client.settings.show()).decided).toEqual(change);
    const back = await client.settings.update({ body: { limits: null, tools: { fs: null } } });
    expect(back.decided).toEqual({ tools: {} });
    expect(back.settings).toEqual(back.defaults);
  });

  it('[H20] list the questions of workflows with the values a run would get', async () => {
    const { client, root, project } = await createServerRig();
    const inputs = `typedInputs:
  - { name: bed, prompt: Which bed? }
  - { name: level, prompt: How good?, type: choice, scope: person, default: new, choices: [{ value: new, label: New }] }
`;
    const folder = join(root, 'garden');
    await writeTree(folder, samplePackage(undefined, { 'workflow.md': workflow(inputs) }));
    const { hash } = (await client.packages.importPath({ body: { path: folder } })).package;
    const { projectId } = await client.projects.open({ body: { path: project } });
    const found = await client.settings.inputs({ query: { packageHash: hash, projectId } });
    expect(found.inputs).toMatchObject([
      { name: 'bed', type: 'text', scope: 'project', source: 'none', packages: ['sample'] },
      { name: 'level', value: 'new', source: 'default', choices: [{ value: 'new', label: 'New' }] },
    ]);
    await client.settings.update({ body: { inputs: { projects: { [projectId]: { bed: 'north' } } } } });
    const all = await client.settings.inputs({ query: { projectId } });
    expect(all.inputs).toMatchObject([{ name: 'bed', value: 'north', source: 'answer' }, { name: 'level' }]);
  });

  it.each([
    [{ limits: { maxTurns: 0 } }, 'limits.maxTurns'],
    [{ tools: { approval: 'never' } }, 'tools.approval'],
    [{ nonsense: 1 }, undefined],
  ])('[H20] that are invalid are rejected as a whole: %j', async (body, field) => {
    const { client, root } = await createServerRig();
    await client.settings.update({ body: { limits: { maxTurns: 9 } } });
    const before = await readFile(join(root, 'store/settings.json'), 'utf8');
    await expect(client.settings.update({ body })).rejects.toMatchObject({
      code: 'SETTINGS_INVALID',
      ...(field === undefined ? {} : { details: { field } }),
    });
    expect(await readFile(join(root, 'store/settings.json'), 'utf8')).toBe(before);
  });
});

describe('models', () => {
  it('[H20] are added, replaced and removed', async () => {
    const { client } = await createServerRig({ env: {} });
    const settings = {
      provider: 'generic',
      baseUrl: 'http://127.0.0.1:1/v1',
      model: 'a',
      contextTokens: 8_000,
    } as const;
    expect(await client.models.put({ name: 'one', body: { settings } })).toEqual({
      name: 'one',
      settings,
      hasKey: false,
      isDefault: true,
      overrides: [],
    });
    const { contextTokens: _, ...smaller } = settings;
    expect((await client.models.put({ name: 'one', body: { settings: smaller } })).settings).toEqual(smaller);
    await client.models.put({ name: 'two', body: { settings, isDefault: true } });
    expect((await client.models.list()).models.map(({ name, isDefault }) => [name, isDefault])).toEqual([
      ['one', false],
      ['two', true],
    ]);
    await client.models.remove({ name: 'two' });
    expect((await client.settings.show()).settings.defaultModel).toBeUndefined();
    await expect(client.models.remove({ name: 'two' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(client.models.put({ name: 'rehearsal', body: { settings } })).rejects.toMatchObject({
      code: 'USAGE',
    });
  });

  it('[H20] have several keys with names, of which one is used', async () => {
    const provider = await startFakeProvider(({ headers }) =>
      headers.authorization === 'Bearer sk-private-0123456789'
        ? textReply('Hello.')
        : statusReply(401, { error: { message: 'no' } }),
    );
    onTestFinished(() => provider.close());
    const { client, call, project } = await createServerRig({ env: {} });
    const { models } = client;
    const name = 'one';
    await models.put({ name, body: { settings: { baseUrl: provider.url, model: 'm' }, isDefault: true } });
    expect(await models.setKey({ name, body: { key: 'sk-first-0123456789' } })).not.toHaveProperty('keys');
    await models.setKey({ name, body: { key: 'sk-private-0123456789', keyName: '私人 1' } });
    const keys = { names: ['default', '私人 1'], used: 'default', useNext: false };
    expect((await models.list()).models).toMatchObject([{ hasKey: true, keys }]);
    await expect(models.chooseKey({ name, body: { use: 'work' } })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });

    // An open conversation uses what is chosen now.
    const { projectId } = await client.projects.open({ body: { path: project } });
    const { workId } = await client.works.create({ body: { projectId, kind: 'chat' } });
    const say = async (requests: number) => {
      await client.works.input({ workId, body: { text: 'Hi' } });
      await expect.poll(() => keysOf(provider).length).toBe(requests);
      await expect.poll(async () => (await client.works.show({ workId })).work.phase).not.toBe('Running');
    };
    await say(1);
    expect(keysOf(provider)).toEqual(['sk-first-0123456789']);
    const chosen = await models.chooseKey({ name, body: { use: '私人 1' } });
    expect(chosen.keys).toEqual({ ...keys, used: '私人 1' });
    await say(2);
    await models.chooseKey({ name, body: { use: 'default', useNext: true } });
    await say(4);
    expect(keysOf(provider).map((key) => key.slice(3, 8))).toEqual(['first', 'priva', 'first', 'priva']);

    // Without a name the key that is used is replaced.
    await models.chooseKey({ name, body: { use: '私人 1' } });
    await models.setKey({ name, body: { key: 'sk-newer-0123456789' } });
    expect((await models.test({ body: { model: name } })).report?.ok).toBe(false);
    expect(keysOf(provider).at(-1)).toBe('sk-newer-0123456789');
    const left = await models.removeKey({ name, query: { keyName: '私人 1' } });
    expect(left).toMatchObject({ hasKey: true });
    expect(left).not.toHaveProperty('keys');
    for (const path of ['/models', '/settings', '/doctor', '/system', `/works/${workId}`])
      expect(await (await call(`/api/v1${path}`)).text()).not.toContain('-0123456789');
    await models.remove({ name });
    expect((await client.settings.show()).settings.modelKeys).toEqual({});
  });

  it('[H20] have write-only keys', async () => {
    const { client, call, root } = await createServerRig();
    const settings = { baseUrl: 'http://127.0.0.1:1/v1', model: 'a' };
    await client.models.put({ name: 'one', body: { settings } });
    expect(await client.models.setKey({ name: 'one', body: { key: KEY } })).toMatchObject({ hasKey: true });
    expect(await readFile(join(root, 'store/secrets.json'), 'utf8')).toContain(KEY);
    for (const path of ['/models', '/settings', '/doctor', '/system'])
      expect(await (await call(`/api/v1${path}`)).text()).not.toContain(KEY);
    // A key belongs to the address it was set for.
    const moved = await client.models.put({
      name: 'one',
      body: { settings: { ...settings, baseUrl: 'http://127.0.0.1:2/v1' } },
    });
    expect(moved.hasKey).toBe(false);
    await client.models.setKey({ name: 'one', body: { key: KEY } });
    expect(await client.models.removeKey({ name: 'one' })).toMatchObject({ hasKey: false });
    await expect(client.models.setKey({ name: 'one', body: { key: 'two words' } })).rejects.toMatchObject({
      code: 'USAGE',
    });
    await expect(client.models.setKey({ name: 'none', body: { key: KEY } })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('[A18] report overrides from the environment of the server', async () => {
    const there = 'http://127.0.0.1:2/v1';
    const { client } = await createServerRig({ env: { CREWAGENT_BASE_URL: there, CREWAGENT_API_KEY: KEY } });
    const settings = { baseUrl: 'http://127.0.0.1:1/v1', model: 'a' };
    const put = await client.models.put({ name: 'one', body: { settings } });
    expect(put.overrides).toEqual([
      { field: 'baseUrl', variable: 'CREWAGENT_BASE_URL', value: there },
      { field: 'key', variable: 'CREWAGENT_API_KEY' },
    ]);
    expect((await client.models.list()).models).toEqual([put]);
  });

  it('[H20] can be tested', async () => {
    const { client } = await createServerRig();
    expect(await client.models.test({ body: {} })).toEqual({ model: { kind: 'rehearsal' } });
    await addScriptedModel(client, [
      toolCallReply([{ name: 'get_magic_number', arguments: {} }]),
      textReply('It is 7421.'),
    ]);
    const { report } = await client.models.test({ body: { model: 'scripted' } });
    expect(report).toMatchObject({ ok: true, tools: true, streams: true });
    expect(report?.steps).toHaveLength(4);
    await expect(client.models.test({ body: { model: 'unknown' } })).resolves.toMatchObject({
      report: { ok: false },
    });
  });
});

describe('a model that is not saved', () => {
  it('[H20] is tested as it is typed, with the typed key or that of a saved model, and nothing is stored', async () => {
    const { client } = await createServerRig({ env: {} });
    const provider = await startFakeProvider(({ headers, body }) => {
      if (headers.authorization !== `Bearer ${KEY}`)
        return statusReply(401, { error: { message: 'Incorrect API key' } });
      return body.messages.some(({ role }) => role === 'tool')
        ? textReply('It is 7421.')
        : toolCallReply([{ name: 'get_magic_number', arguments: {} }]);
    });
    onTestFinished(() => provider.close());
    const settings = { baseUrl: provider.url, model: 'm' };
    const test = (draft: object) => client.models.test({ body: { draft: { settings, ...draft } } });
    expect((await test({ key: 'a-wrong-one' })).report).toMatchObject({ ok: false });
    expect((await test({ key: KEY })).report).toMatchObject({ ok: true });
    expect((await client.models.list()).models).toEqual([]);
    await client.models.put({ name: 'mine', body: { settings } });
    await client.models.setKey({ name: 'mine', body: { key: KEY } });
    expect((await test({ savedModel: 'mine' })).report).toMatchObject({ ok: true });
    expect((await test({})).report).toMatchObject({ ok: false });
  });
});

describe('models that a provider offers', () => {
  async function startCatalog() {
    const keys: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      keys.push(request.headers.authorization);
      response.end(JSON.stringify({ data: [{ id: 'm', context_length: 9_000 }] }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return { keys, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
  }

  it('[H20] are listed for an address with a typed key, or for a saved model with its own key', async () => {
    const { client } = await createServerRig({ env: {} });
    const { baseUrl, keys } = await startCatalog();
    const models = [{ id: 'm', contextTokens: 9_000 }];
    const typed = { baseUrl, key: KEY };
    expect(await client.models.listProviderModels({ body: typed })).toEqual({ baseUrl, models });
    await client.models.put({ name: 'one', body: { settings: { baseUrl, model: 'm' } } });
    await client.models.setKey({ name: 'one', body: { key: `${KEY}2` } });
    await client.models.listProviderModels({ body: { savedModel: 'one' } });
    // A key that was stored for one address is not sent to another.
    const other = await startCatalog();
    await client.models.listProviderModels({ body: { savedModel: 'one', baseUrl: other.baseUrl } });
    expect(keys).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}2`]);
    expect(other.keys).toEqual([undefined]);
    await expect(client.models.listProviderModels({ body: { savedModel: 'none' } })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const nobody = client.models.listProviderModels({ body: { baseUrl: 'http://127.0.0.1:1/v1' } });
    await expect(nobody).rejects.toMatchObject({ code: 'LLM_HTTP_ERROR' });
  });

  it('[H20] are looked for on this machine', async () => {
    const { client } = await createServerRig();
    expect(Array.isArray((await client.models.findLocalModels()).servers)).toBe(true);
  });
});

describe('built-in models', () => {
  it('[H20] are shown with what can be installed; an installation that fails says why', async () => {
    const { client, runtime } = await createServerRig({ env: {} });
    const before = await client.models.showBuiltin();
    expect(before.recommended).toHaveLength(3);
    expect(before.recommended.filter(({ isBest }) => isBest)).toHaveLength(1);
    expect(before).toMatchObject({ installed: [] });
    expect(before).not.toHaveProperty('installation');
    const source = { url: 'https://example.org/qwen3-1.7b.gguf', sha256: 'a'.repeat(64) };
    for (const wrong of [{ sha256: '' }, { url: 'ftp://example.org/a.gguf' }, { url: 'none' }])
      await expect(client.models.installBuiltin({ body: { ...source, ...wrong } })).rejects.toMatchObject({
        code: 'USAGE',
      });
    // A file stands where the folder has to be made.
    await mkdir(runtime.store.root, { recursive: true, mode: 0o700 });
    await writeFile(runtime.store.localModels.folder, '');
    expect(await client.models.installBuiltin({ body: source })).toMatchObject({
      installation: { name: 'qwen3-1.7b' },
    });
    await expect
      .poll(async () => (await client.models.showBuiltin()).installation?.status, { timeout: 20_000 })
      .toBe('failed');
    expect((await client.models.removeBuiltin({ name: 'qwen3-1.7b' })).installation).toBeUndefined();
  });

  it('[H20] are taken from a GGUF file; what was downloaded of one that was cancelled is discarded', async () => {
    const { client, runtime } = await createServerRig({ env: {} });
    const { localModels } = runtime.store;
    const part = `${localModels.weights('qwen3-1.7b')}.part`;
    const entry = join(localModels.runtime, 'node_modules', 'node-llama-cpp', 'dist', 'index.js');
    for (const file of [part, entry]) {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, 'xxx');
    }
    await client.models.removeBuiltin({ name: 'qwen3-1.7b' });
    await expect(stat(part)).rejects.toThrow('ENOENT');
    await expect(client.models.installBuiltin({ body: { file: 'own.gguf' } })).rejects.toMatchObject({
      code: 'USAGE',
    });
    const file = join(localModels.folder, 'own.gguf');
    await writeFile(file, 'GGUF, and the rest');
    expect((await client.models.installBuiltin({ body: { file } })).installation).toMatchObject({
      name: 'own',
    });
    await expect.poll(async () => (await client.models.showBuiltin()).installation?.status).toBe('done');
    expect((await client.models.showBuiltin()).installed).toMatchObject([{ name: 'own', bytes: 18 }]);
  });

  it('[H20] that are installed are removed', async () => {
    const { client } = await createServerRig({ env: {} });
    const settings = { provider: 'builtin', model: 'qwen3-1.7b' } as const;
    await client.models.put({ name: 'qwen3-1.7b', body: { settings } });
    expect((await client.models.showBuiltin()).installed).toEqual([{ name: 'qwen3-1.7b' }]);
    expect((await client.models.removeBuiltin({ name: 'qwen3-1.7b' })).installed).toEqual([]);
  });
});

describe('the machine', () => {
  it('[H20] is checked by the doctor, and the server describes itself', async () => {
    const { client, runtime } = await createServerRig();
    const doctor = await client.system.doctor();
    expect(doctor).toMatchObject({ ok: true, packages: { count: 0 }, runs: { count: 0 } });
    expect(doctor.store.place).toBe(runtime.store.root);
    expect(await client.system.show()).toMatchObject({ name: 'crewagent', node: process.version });
  });
});
