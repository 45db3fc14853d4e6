import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startFakeProvider } from '../../../packages/core/src/testing/models/fake-provider.ts';
import {
  type ProviderReply,
  textReply,
  toolCallReply,
} from '../../../packages/core/src/testing/models/provider-replies.ts';
import { samplePackage, step } from '../../../packages/core/src/testing/packages/sample-package.ts';
import { attach, createCliRig, parseLines } from './testing/cli-rig.ts';
import { tempDir } from './testing/temp-dir.ts';

const SERVER = join(import.meta.dirname, '../../../packages/core/src/testing/mcp-server.mjs');

const leave = (nodeId: string, next?: string): ProviderReply =>
  toolCallReply([{ name: 'runtime_complete_node', arguments: { nodeId, ...(next ? { next } : {}) } }]);
const COMPLETE = [leave('step-01', 'end-99'), leave('end-99'), textReply('Done.')];

/** A machine with a policy, which can be replaced. */
async function createMachine(rules: object, replies: readonly ProviderReply[] = COMPLETE) {
  const path = join(tempDir(), 'policy.json');
  const place = (next: object) => writeFile(path, JSON.stringify({ schemaVersion: 1, ...next }));
  await place(rules);
  const rig = await createCliRig({ CREWAGENT_POLICY: path, CREWAGENT_TOKEN: 'token' });
  const pkg = await rig.write('sample', samplePackage());
  const provider = attach(await startFakeProvider(replies));
  const run = (...more: string[]) =>
    rig.run('run', pkg, '-p', 'project', '--json', ...provider.options, ...more);
  return { rig, pkg, provider, place, run, path };
}

describe('a policy holds when something is done', () => {
  it.each<[string, object, string]>([
    ['the model', { models: { names: ['gpt-*'] } }, 'models.names'],
    ['the provider', { models: { providers: ['openai'] } }, 'models.providers'],
    ['the address of the model', { models: { addresses: ['llm.acme.example'] } }, 'models.addresses'],
    ['any address', { addresses: ['*.acme.example'] }, 'addresses'],
    ['the package', { packages: [{ name: 'acme-*' }] }, 'packages'],
  ])('[O32] a run is refused because of %s, before anything is sent', async (_, rules, rule) => {
    const { run, provider, rig } = await createMachine(rules);
    const { code, err } = await run();
    expect(code).toBe(2);
    expect(err).toContain(`rule "${rule}"`);
    expect(provider.requests).toEqual([]);
    expect(JSON.parse((await rig.run('runs', '--json')).out)).toEqual([]);
  });

  it('[O32] a run that was started before is refused as well, and goes on when the policy allows it again', async () => {
    const { run, rig, provider, place } = await createMachine({}, [textReply('Which?'), ...COMPLETE]);
    expect((await run()).code).toBe(3);
    for (const rules of [{ models: { names: [] } }, { packages: [] }]) {
      await place(rules);
      const { code, err } = await rig.run('resume', 'last', '--input', 'This one.');
      expect([code, err]).toEqual([2, expect.stringContaining('does not allow')]);
    }
    expect(provider.requests).toHaveLength(1);
    await place({});
    expect((await rig.run('resume', 'last', '--input', 'This one.')).code).toBe(0);
  });

  it('[O31] nothing runs under a policy that cannot be used', async () => {
    const { run, rig, provider, path, pkg } = await createMachine({});
    await writeFile(path, '{"schemaVersion":1,');
    for (const outcome of [
      await run(),
      await rig.run('packages', 'add', pkg),
      await rig.run('config', 'list'),
    ])
      expect(outcome).toMatchObject({ code: expect.any(Number) as number });
    const { code, err } = await run();
    expect([code, err]).toEqual([2, expect.stringContaining('cannot be used, so nothing runs')]);
    expect(provider.requests).toEqual([]);
  });

  it('[O32] a redirect of an allowed address is not followed', async () => {
    const [asked, led] = [await listen(), await listen()];
    asked.redirect = `${led.url}/v1/chat/completions`;
    const { rig, pkg } = await createMachine({ models: { addresses: [new URL(asked.url).host] } });
    const { code } = await rig.run(
      ...['run', pkg, '-p', 'project', '--json', '--base-url', `${asked.url}/v1`, '--model', 'm'],
    );
    expect(code).not.toBe(0);
    expect([asked.count > 0, led.count]).toEqual([true, 0]);
  });

  it('[O32] the highest preset holds, whatever a command or the settings say', async () => {
    const write = toolCallReply([
      { name: 'fs_write', arguments: { path: '@project/notes.md', content: 'x' } },
    ]);
    const { rig, run } = await createMachine({ approval: 'ask' }, [write, ...COMPLETE]);
    await rig.run('config', 'set', 'tools.approval', 'autopilot');
    expect((await run('--approve', 'autopilot')).code).toBe(3);
    expect(existsSync(join(rig.project, 'notes.md'))).toBe(false);
    expect((await rig.run('config', 'list')).out).toContain(
      'tools.approval = ask  (policy: at most ask, rule "approval")',
    );
  });

  it('[O32] tokens of a run are counted in all: a resume does not grant them again', async () => {
    const { rig, run, provider } = await createMachine({ limits: { maxTokens: 1 } }, [
      leave('step-01', 'end-99'),
      ...COMPLETE.slice(1),
    ]);
    const { code, out } = await run();
    expect(code).toBe(4);
    expect(parseLines(out).result.reason).toMatchObject({ code: 'POLICY_FORBIDS' });
    const resumed = await rig.run('resume', 'last', '--json');
    expect([resumed.code, parseLines(resumed.out).result.reason?.message]).toEqual([
      4,
      expect.stringContaining('rule "limits.maxTokens"'),
    ]);
    expect(provider.requests).toHaveLength(1);
  });

  it('[O32] a run that completes without full proof exits with 5 where proof is required', async () => {
    const { run } = await createMachine({ proof: 'required' });
    expect((await run()).code).toBe(0);
    const { rig, provider } = await createMachine({ proof: 'required' }, [
      ...[leave('step-01', 'end-99'), textReply('I cannot.')],
      ...COMPLETE,
    ]);
    const pkg = await rig.write(
      'producing',
      samplePackage(undefined, {
        'steps/step-01.md': step('step-01', 'step', 'produces:\n  - path: artifacts/prd.md\n'),
      }),
    );
    await rig.run('run', pkg, '-p', 'project', ...provider.options);
    const waive = ['waive', 'last', '--output', 'artifacts/prd.md', '--reason', 'Not needed'];
    const { code, err } = await rig.run(...waive, ...provider.options);
    expect([code, err]).toEqual([5, expect.stringContaining('rule "proof"')]);
  });

  it('[O32] a package is installed only if its name, hash or signer is listed', async () => {
    const { rig, pkg, place } = await createMachine({ packages: [] });
    expect(await rig.run('packages', 'add', pkg)).toMatchObject({
      code: 2,
      err: expect.stringContaining('rule "packages"') as string,
    });
    await rig.run('keys', 'create', 'Ada');
    const key = (await rig.run('keys', 'export', 'Ada')).out.trim();
    const site = join(rig.folder, 'site');
    await place({ packages: [{ signer: key }] });
    expect((await rig.run('publish', pkg, '--to', site)).code).toBe(0);
    const listing = JSON.parse(await readFile(join(site, 'index.json'), 'utf8')) as {
      packages: { versions: { url: string; sha256: string }[] }[];
    };
    const [version] = listing.packages[0]?.versions ?? [];
    const archive = join(site, version?.url ?? '');
    expect((await rig.run('packages', 'add', pkg)).code).toBe(2);
    expect((await rig.run('packages', 'add', archive)).code).toBe(0);
    const runs = () => rig.run('run', version?.sha256.slice(0, 12) ?? '', '-p', 'project', '--rehearsal');
    expect((await runs()).code).toBe(0);
    await place({ packages: [{ sha256: '0'.repeat(64) }] });
    expect((await runs()).code).toBe(2);
    await place({ packages: [{ sha256: version?.sha256 }] });
    expect((await runs()).code).toBe(0);
  });

  it('[O32] an MCP server that is not listed is not started, whatever it is called', async () => {
    const { rig, place } = await createMachine({});
    await rig.run('mcp', 'add', 'tickets', '--', process.execPath, SERVER);
    await place({ servers: [{ command: 'tickets' }] });
    expect(await rig.run('mcp', 'test', 'tickets')).toMatchObject({
      code: 2,
      err: expect.stringContaining('rule "servers"') as string,
    });
    const provider = attach(await startFakeProvider([textReply('Hi.')]));
    const chat = () => rig.run('chat', '-p', 'project', '--json', '-i', 'Hi', ...provider.options);
    await chat();
    expect(JSON.stringify(provider.requests)).not.toContain('mcp_tickets');
    await place({ servers: [{ command: `${process.execPath} ${SERVER}` }] });
    expect((await rig.run('mcp', 'test', 'tickets')).code).toBe(0);
  });

  it('[O32] a command that is not listed is refused with its rule, and nobody is asked', async () => {
    const command = toolCallReply([
      { name: 'shell_run', arguments: { command: 'touch', args: ['made.txt'] } },
    ]);
    const { rig, run, provider, place } = await createMachine({ shell: { commands: ['npm test'] } }, [
      command,
      ...COMPLETE,
    ]);
    await rig.run('shell', 'enable', '--project', 'project');
    expect((await run()).code).toBe(0);
    expect(JSON.stringify(provider.requests[1]?.body.messages)).toContain('shell.commands');
    expect(existsSync(join(rig.project, 'made.txt'))).toBe(false);
    await place({ shell: { enabled: false } });
    expect(await rig.run('shell', 'enable', '--project', 'project')).toMatchObject({
      code: 2,
      err: expect.stringContaining('rule "shell.enabled"') as string,
    });
  });

  it('[O32] a run is not moved to another server', async () => {
    const { rig, run } = await createMachine({ push: false }, COMPLETE);
    await run();
    const { code, err } = await rig.run('push', 'last', '--to', 'https://crew.example.com');
    expect([code, err]).toEqual([2, expect.stringContaining('rule "push"')]);
  });
});

async function listen() {
  const state = { count: 0, redirect: '', url: '' };
  const server = createServer((_, response) => {
    state.count++;
    response.writeHead(307, { location: state.redirect }).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return state;
}

describe('crewagent policy', () => {
  it('[O33] lists the rules that hold, or says why a policy cannot be used', async () => {
    const { rig, path } = await createMachine({ organisation: 'ACME', models: { names: [] }, push: false });
    const checked = await rig.run('policy', 'check');
    expect(checked).toMatchObject({ code: 0 });
    expect(checked.out).toContain('models.names: nothing');
    expect(checked.out).toContain('push: false');
    await writeFile(join(rig.folder, 'other.json'), '{"schemaVersion":1,"aproval":"ask"}');
    const wrong = await rig.run('policy', 'check', 'other.json');
    expect([wrong.code, wrong.out]).toEqual([1, expect.stringContaining('"aproval"')]);
    await rig.run('keys', 'create', 'Ada');
    expect((await rig.run('policy', 'sign', path)).code).toBe(0);
    expect((await rig.run('policy', 'check')).out).toContain('signed by');
    await writeFile(path, '{"schemaVersion":1}');
    expect((await rig.run('policy', 'check')).out).toContain('was changed after it was signed');
  });

  it('[O33] explains which rule decides', async () => {
    const { rig, place } = await createMachine({ approval: 'ask', shell: { commands: ['npm test'] } });
    const explain = (...args: string[]) => rig.run('policy', 'explain', ...args);
    expect((await explain('--command', 'npm test', '--preset', 'ask')).code).toBe(0);
    const refused = await explain('--preset', 'autopilot', '--command', 'npm test; rm x', '--json');
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.out)).toMatchObject([
      { subject: 'command npm test; rm x', isAllowed: false, rule: 'shell.commands' },
      { subject: 'preset autopilot', isAllowed: false, rule: 'approval' },
    ]);
    await place({ packages: [], servers: [], addresses: [], push: false });
    const more = await explain('--package', 'x', '--server', 'npx y', '--address', 'https://a.b', '--push');
    expect([...more.out.matchAll(/refused by rule "(\w+)"/g)].map(([, rule]) => rule)).toEqual([
      'packages',
      'servers',
      'addresses',
      'push',
    ]);
    expect((await explain()).code).toBe(2);
    expect((await explain('--agent', 'zed', '--over', 'acp')).out).toContain('✔ agent zed over acp');
    expect((await explain('--agent', 'zed', '--over', 'fax')).code).toBe(2);
    expect((await explain('--preset', 'everything')).code).toBe(2);
  });
});
