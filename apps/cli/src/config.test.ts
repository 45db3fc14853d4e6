import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { toChange, valueAt } from '@crewagent/protocol/describe-fields';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type ProviderScript,
  startFakeProvider,
} from '../../../packages/core/src/testing/models/fake-provider.ts';
import {
  statusReply,
  textReply,
  toolCallReply,
} from '../../../packages/core/src/testing/models/provider-replies.ts';
import { samplePackage } from '../../../packages/core/src/testing/packages/sample-package.ts';
import { flatten, invalidValueError, parseValue, resolveKey } from './settings-keys.ts';
import { attach, type CliRig, createCliRig } from './testing/cli-rig.ts';

const startProvider = async (script: ProviderScript) => attach(await startFakeProvider(script));
const writeSample = (rig: CliRig): Promise<string> => rig.write('sample', samplePackage());

describe('keys', () => {
  it.each([
    ['limits.maxTurns', ['limits', 'maxTurns']],
    ['models.local.baseUrl', ['models', 'local', 'baseUrl']],
    ['models.gpt-4.1.model', ['models', 'gpt-4.1', 'model']],
    ['models.gpt-4.1', ['models', 'gpt-4.1']],
    ['models.a.b.prices.input', ['models', 'a.b', 'prices', 'input']],
  ])('[C22] resolves %s', (key, path) => {
    expect(resolveKey(key).path).toEqual(path);
    expect(valueAt(toChange(path, 1), path)).toBe(1);
  });

  it.each([
    '',
    'x',
    'limits.',
    'limits.maxTurn',
    'models.-x',
    'schemaVersion',
    'limits.__proto__',
    'constructor',
  ])('[C22] rejects the unknown key "%s"', (key) => {
    expect(() => resolveKey(key)).toThrow(/^There is no setting /);
  });

  it.each([
    ['limits.maxTurns', 'many', 'a whole number of at least 1'],
    ['limits.maxCostUsd', '$3', 'a number above 0'],
    ['models.x.temperature', 'hot', 'a number from 0 to 2'],
    ['tools.strictState', 'perhaps', 'true or false'],
    ['models.x.prices', 'three', 'its fields, such as input=VALUE,cachedInput=VALUE,output=VALUE'],
    ['models.x.prices', 'input=1', 'its fields, such as input=VALUE,cachedInput=VALUE,output=VALUE'],
    ['models', 'three', 'a JSON object; set its fields one by one'],
  ])('[C22] rejects %s = "%s"', (key, text, expected) => {
    const setting = resolveKey(key);
    expect(parseValue(setting, text)).toBeUndefined();
    expect(invalidValueError(key, setting, text).message).toBe(
      `"${key}" must be ${expected}, not "${text}".`,
    );
  });

  it('[C22] resolves the key of every value', () => {
    const settings = { limits: { maxTurns: 3 }, models: { 'a.b': { model: 'm' } } };
    for (const [key, value] of flatten(settings)) expect(valueAt(settings, resolveKey(key).path)).toBe(value);
  });
});

describe('config', () => {
  it('[C22] sets, gets, lists and unsets', async () => {
    const rig = await createCliRig();
    const config = (...args: string[]) => rig.run('config', ...args);
    expect(await config('set', 'limits.maxTurns', '30')).toMatchObject({
      code: 0,
      out: '✔ limits.maxTurns = 30\n',
    });
    expect((await config('set', 'tools.strictState', 'yes')).code).toBe(0);
    expect((await config('set', 'tools.fs.secretPatterns', '*.pem, *.key')).code).toBe(0);
    expect((await config('set', 'tools.fs.runsLaterPatterns', 'deploy*')).code).toBe(0);
    expect((await config('get', 'tools.strictState')).out).toBe('true\n');
    const settings = JSON.parse((await config('list', '--json')).out) as object;
    expect(settings).toMatchObject({
      limits: { maxTurns: 30 },
      tools: {
        strictState: true,
        fs: { secretPatterns: ['*.pem', '*.key'], runsLaterPatterns: ['deploy*'] },
      },
    });
    expect((await config('list')).out).toContain('limits.maxTurns = 30\n');
    expect((await config('unset', 'limits.maxTurns')).code).toBe(0);
    expect((await config('get', 'limits.maxTurns')).out).toBe('50\n');
    expect((await config('path')).out).toBe(`${join(rig.store, 'settings.json')}\n`);
  });

  it('[C22] reports the expected value and changes nothing', async () => {
    const rig = await createCliRig();
    const cases: [string[], string][] = [
      [['set', 'limits.maxTurns', '0'], '"limits.maxTurns" must be a whole number of at least 1, not "0".'],
      [
        ['set', 'tools.approval', 'never'],
        '"tools.approval" must be one of read-only, ask, declared, autopilot, not "never".',
      ],
      [
        ['set', 'limits.turns', '3'],
        'There is no setting "limits.turns". Use one of: limits.maxTurns, limits.maxTokens, limits.maxCostUsd, limits.maxMinutes.',
      ],
      [
        ['set', 'models.x.baseUrl', 'http://a/v1'],
        'There is no model "x" yet. Add it with: crewagent config add-model x --base-url URL --model MODEL',
      ],
      [
        ['set', 'defaultModel', 'x'],
        'There is no model "x" in the settings. Add one with: crewagent config add-model.',
      ],
      [
        ['add-model', 'x', '--model', 'm'],
        'The address of the model is missing. Give --base-url, or a --provider with a known address.',
      ],
      [
        ['add-model', 'x', '--model', 'm', '--base-url', 'nowhere'],
        '"nowhere" is not a URL. Give one like http://127.0.0.1:11434/v1.',
      ],
    ];
    for (const [args, sentence] of cases) {
      expect(await rig.run('config', ...args)).toEqual({ code: 2, out: '', err: `Error: ${sentence}\n` });
    }
    expect(existsSync(join(rig.store, 'settings.json'))).toBe(false);
  });

  it('[C22] names the invalid field of a settings file, which can be set again', async () => {
    const rig = await createCliRig();
    await mkdir(rig.store);
    await writeFile(join(rig.store, 'settings.json'), '{"schemaVersion":1,"limits":{"maxTurns":"x"}}');
    const { code, err } = await rig.run('run', await writeSample(rig), '-p', 'project', '--rehearsal');
    expect(code).toBe(2);
    expect(err).toContain('"limits.maxTurns"');
    expect((await rig.run('doctor')).code).toBe(1);
    expect((await rig.run('config', 'set', 'limits.maxTurns', '3')).code).toBe(0);
    expect((await rig.run('config', 'get', 'limits.maxTurns')).out).toBe('3\n');
  });
});

describe('models and keys', () => {
  it('[C22] stores several keys of a model by name, uses the chosen one and, if allowed, the next', async () => {
    const provider = await startProvider(({ headers }) =>
      headers.authorization === 'Bearer sk-private-0123456789'
        ? textReply('Hello.')
        : statusReply(401, { error: { message: 'no' } }),
    );
    const rig = await createCliRig();
    const config = (...args: string[]) => rig.run('config', ...args);
    await config('add-model', 'one', '--base-url', provider.url, '--model', 'm');
    expect((await config('keys', 'one')).out).toBe('There is no API key for one.\n');
    for (const name of ['work', 'private'])
      expect(
        (await rig.runWith(`sk-${name}-0123456789`, 'config', 'set-key', 'one', '--name', name)).out,
      ).toContain(`one "${name}" is stored`);
    expect((await config('keys', 'one')).out).toBe('work (used)\nprivate\n');
    expect(await config('use-key', 'one', 'home')).toMatchObject({ code: 2 });
    expect((await rig.run('doctor')).out).toContain(
      '"work" is used and tested; "private" only if you choose it',
    );
    expect((await config('use-key', 'one', 'private')).code).toBe(0);
    expect((await config('keys', 'one')).out).toBe('work\nprivate (used)\n');
    await config('use-key', 'one', 'work', '--next');
    const chat = await rig.run('chat', '-p', 'project', '-i', 'Hi');
    expect(chat.out).toContain('Hello.');
    expect(chat.out + chat.err).toContain('Key "private" is used instead of "work".');
    expect(chat.out + chat.err).not.toContain('sk-');
    expect((await config('list', '--json')).out).not.toContain('sk-');
    await config('remove-key', 'one', '--name', 'work');
    expect((await config('keys', 'one')).out).toBe('private (used)\n');
    expect((await config('remove-key', 'one', '--name', 'work')).out).toBe(
      'There is no API key for one "work".\n',
    );
    await config('remove-key', 'one');
    expect((await config('keys', 'one')).out).toBe('There is no API key for one.\n');
    expect((await config('get', 'modelKeys')).out).toBe('{}\n');
  });

  it('[C22] reads an API key from a pipe, uses it, and never prints it', async () => {
    const rig = await createCliRig();
    const provider = await startProvider([textReply('Hello?')]);
    const added = await rig.run(
      'config',
      'add-model',
      'gpt-4.1',
      '--base-url',
      provider.url,
      '--model',
      'big',
    );
    expect(added.out).toContain('gpt-4.1 is big, and the default');
    expect(await rig.runWith('', 'config', 'set-key', 'gpt-4.1')).toMatchObject({ code: 2 });
    expect(await rig.runWith('two words', 'config', 'set-key', 'gpt-4.1')).toMatchObject({ code: 2 });
    expect(await rig.runWith('sk-1', 'config', 'set-key', 'other')).toMatchObject({
      code: 2,
      err: 'Error: There is no model "other" in the settings. Use one of: gpt-4.1.\n',
    });
    const stored = await rig.spawnWith('sk-secret\n', 'config', 'set-key', 'gpt-4.1').ended;
    expect(stored.code).toBe(0);
    const run = await rig.run('run', await writeSample(rig), '-p', 'project', '--json');
    expect(run.code).toBe(3);
    expect(provider.requests[0]?.headers.authorization).toBe('Bearer sk-secret');
    const listed = await rig.run('config', 'list');
    expect(listed.out).toContain('models.gpt-4.1 has an API key');
    const printed = [
      stored,
      run,
      listed,
      await rig.run('config', 'list', '--json'),
      await rig.run('show', 'last', '--json'),
    ];
    for (const { out, err } of printed) expect(out + err).not.toContain('sk-secret');
    expect(await readFile(join(rig.store, 'settings.json'), 'utf8')).not.toContain('sk-secret');
    expect((await rig.run('config', 'remove-key', 'gpt-4.1')).out).toContain('was deleted');
    expect((await rig.run('config', 'remove-key', 'gpt-4.1')).out).toBe('There is no API key for gpt-4.1.\n');
    expect(await rig.run('config', 'set-key', 'gpt-4.1', 'sk-secret')).toMatchObject({ code: 2 });
  });

  it('[C22] replaces a model that is added again', async () => {
    const rig = await createCliRig();
    const add = (...args: string[]) => rig.run('config', 'add-model', 'local', '--model', 'm', ...args);
    await add('--base-url', 'http://127.0.0.1:1/v1', '--context-tokens', '9000');
    await add('--provider', 'ollama');
    expect(JSON.parse((await rig.run('config', 'list', '--json')).out)).toMatchObject({
      defaultModel: 'local',
    });
    expect((await rig.run('config', 'get', 'models.local')).out).toBe('{"provider":"ollama","model":"m"}\n');
  });
});

describe('a model on this machine', () => {
  async function startOllama(...ids: readonly string[]) {
    const server = createServer((request, response) => {
      const data = ids.map((id) => ({ id }));
      response.writeHead(request.url === '/v1/models' ? 200 : 404);
      response.end(JSON.stringify({ data }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it('[C22] is added by name, without its address', async () => {
    const host = await startOllama('qwen3:8b');
    const rig = await createCliRig({ OLLAMA_HOST: host });
    const { out } = await rig.run('config', 'add-model', '--provider', 'ollama');
    expect(out).toContain('qwen3:8b is qwen3:8b, and the default');
    expect(JSON.parse((await rig.run('config', 'get', 'models.qwen3:8b')).out)).toEqual({
      provider: 'ollama',
      baseUrl: `http://${host}/v1`,
      model: 'qwen3:8b',
    });
    expect((await rig.run('config', 'models', '--search', 'qwen')).out).toMatch(
      /^Ollama at http:\/\/.+\n {2}qwen3:8b\n(?:.*\n)*Add one with: crewagent config add-model\n$/,
    );
  });

  it('[C22] is one of several that are named', async () => {
    const rig = await createCliRig({ OLLAMA_HOST: await startOllama('gemma3', 'qwen3') });
    expect(await rig.run('config', 'add-model', '--provider', 'ollama')).toMatchObject({
      code: 2,
      err: 'Error: Choose one of these models with --model. Ollama: gemma3; Ollama: qwen3.\n',
    });
    const none = await rig.run('config', 'add-model', '--provider', 'lmstudio');
    expect(none.code).toBe(2);
    expect(none.err).toContain('No model server answers on this machine (Ollama, LM Studio');
  });
});

describe('the price of a model', () => {
  it('[C22] is set when the model is added, and later', async () => {
    const rig = await createCliRig();
    const prices = async (): Promise<unknown> =>
      JSON.parse((await rig.run('config', 'get', 'models.x.prices')).out);
    const add = (...args: string[]) =>
      rig.run('config', 'add-model', 'x', '--provider', 'ollama', '--model', 'm', ...args);
    await add('--prices', 'input=0.4,output=1.6,cachedInput=0.1');
    expect(await prices()).toEqual({ input: 0.4, output: 1.6, cachedInput: 0.1 });
    expect((await rig.run('config', 'set', 'models.x.prices', 'input=1, output=2')).code).toBe(0);
    expect(await prices()).toMatchObject({ input: 1, output: 2 });
    expect((await rig.run('config', 'set', 'models.x.prices.input', '3')).code).toBe(0);
    expect(await prices()).toMatchObject({ input: 3, output: 2 });
    await rig.run('config', 'unset', 'models.x.prices');
    const half = await rig.run('config', 'set', 'models.x.prices.input', '3');
    expect([half.code, half.err]).toEqual([
      2,
      'Error: A price has two parts. Set both with: crewagent config set models.x.prices input=USD,output=USD (per million tokens)\n',
    ]);
    const wrong = await add('--prices', 'cheap');
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('"cheap" is not a price.');
  });
});

describe('doctor', () => {
  it('[C24] passes without a model and shows how to add one', async () => {
    const rig = await createCliRig();
    const { code, out } = await rig.run('doctor');
    expect(code).toBe(0);
    for (const name of ['node', 'store', 'settings', 'search', 'locks', 'packages', 'runs'])
      expect(out).toMatch(new RegExp(`^[✓!] ${name} `, 'm'));
    expect(out).toMatch(/^! model .+\n.+→ crewagent config add-model/m);
    expect(existsSync(rig.store)).toBe(false);
  });

  it('[C24] tests the model with a real tool call', async () => {
    const rig = await createCliRig();
    const provider = await startProvider([
      toolCallReply([{ id: 'c1', name: 'get_magic_number', arguments: {} }]),
      textReply('It is 7421.'),
    ]);
    const { code, out } = await rig.run('doctor', ...provider.options);
    expect(out).toMatch(/^✓ model +scripted at .+: streams, calls tools, first reply in \d+ ms$/m);
    expect(code).toBe(0);
    const silent = await startProvider([textReply('I cannot call tools.')]);
    const bad = await rig.run('doctor', '--json', ...silent.options);
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.out)).toMatchObject({ ok: false });
    expect(bad.out).toContain('Choose a model that supports tool calls');
    const unreachable = await rig.run('doctor', '--base-url', 'http://127.0.0.1:1/v1', '--model', 'm');
    expect(unreachable.code).toBe(1);
    expect(unreachable.out).toMatch(/^✗ model +m at http:\/\/127\.0\.0\.1:1\/v1: .+/m);
  });

  it('[C24] fails if the store is not writable', async () => {
    const rig = await createCliRig();
    await writeFile(rig.store, 'a file');
    const { code, out } = await rig.run('doctor');
    expect(code).toBe(1);
    expect(out).toMatch(/^✗ store /m);
    expect(out).toContain('CREWAGENT_HOME');
  });
});

describe('config models', () => {
  it('[C22] lists what a provider offers, with context and price, and what runs on this machine', async () => {
    const server = createServer((_, response) => {
      const pricing = { prompt: '0.000001', completion: '0.000002' };
      response.end(
        JSON.stringify({ data: [{ id: 'big-one', context_length: 9_000, pricing }, { id: 'small' }] }),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const rig = await createCliRig();
    const { out } = await rig.run('config', 'models', '--base-url', baseUrl, '--search', 'BIG');
    expect(out).toBe(`${baseUrl}\n  big-one  9000 tokens, $1 in, $2 out per million\n`);
    await rig.run('config', 'add-model', 'mine', '--base-url', baseUrl, '--model', 'small');
    expect(JSON.parse((await rig.run('config', 'models', 'mine', '--json')).out)).toMatchObject([
      { baseUrl },
    ]);
    expect((await rig.run('config', 'models', '--local', '--json')).code).toBe(0);
    expect(await rig.run('config', 'models', '--provider', 'nobody')).toMatchObject({ code: 2 });
  });
});
