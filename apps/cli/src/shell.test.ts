import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasSandbox } from '../../../packages/core/src/testing/require-sandbox.ts';
import { createCliRig } from './testing/cli-rig.ts';

describe('shell', () => {
  it('[T150] adds and removes hosts, and shows all that commands may reach', async () => {
    const rig = await createCliRig();
    const shell = (command: string, ...args: string[]) =>
      rig.run('shell', command, ...args, '--project', rig.project);
    await writeFile(join(rig.project, 'package.json'), '{}');
    await shell('enable', '--network');
    const { out } = await shell('allow-host', 'API.example.org', '*.example.com:8443', 'api.example.org');
    expect(out).toContain('May reach: registry.npmjs.org (package registries)');
    expect(out).toContain('May reach: api.example.org, *.example.com:8443\n');
    expect(JSON.parse((await shell('status', '--json')).out)).toMatchObject({
      hosts: ['api.example.org', '*.example.com:8443'],
      registries: ['registry.npmjs.org'],
    });
    expect((await shell('remove-host', 'api.example.org')).out).toContain('May reach: *.example.com:8443\n');
    expect((await shell('enable')).out).toContain(
      'Not reachable: *.example.com:8443. To switch the network on',
    );
  });

  it('[C24] switches commands on and off in a project, with rules, and shows the sandbox', async () => {
    const rig = await createCliRig();
    const shell = (command: string, ...args: string[]) =>
      rig.run('shell', command, ...args, '--project', rig.project);
    expect((await shell('status')).out).toBe('Models may not run commands in this project.\n');
    expect(await shell('enable', '--network', '--git', '--folder', '/opt')).toMatchObject({ code: 0 });
    await shell('allow', 'npm', 'test');
    const { out } = await shell('status');
    expect(out).toContain('Models may run commands in this project.');
    expect(out).toContain('May read: /opt');
    expect(out).toContain('Git may record changes');
    expect(out).toMatch(/Allowed without approval.*: npm test/);
    expect(out).toContain(hasSandbox ? 'with network access by name' : 'You approve each command.');
    expect(JSON.parse((await shell('status', '--json')).out)).toMatchObject({
      enabled: true,
      network: true,
      git: true,
      allow: ['npm test'],
      sandbox: { isIsolating: hasSandbox },
    });
    await shell('enable');
    expect(JSON.parse((await shell('status', '--json')).out)).toMatchObject({
      network: false,
      git: false,
      folders: [],
    });
    expect((await shell('revoke', 'npm', 'test')).code).toBe(0);
    expect((await shell('disable')).out).toBe('Models may not run commands in this project.\n');
  });

  it.each([
    [['allow', 'sh'], /runs whatever it is given/],
    [['allow', 'npm test;'], /letters, digits/],
    [['revoke', 'npm'], /no rule "npm"/],
    [['allow-host', '127.0.0.1'], /"127\.0\.0\.1" cannot be allowed: use a name such as example\.org/],
    [['allow-host', 'a.example', 'db.internal'], /"db\.internal" cannot be allowed: hosts of this machine/],
    [['remove-host', 'example.org'], /"example\.org" is not on the list/],
  ])('[C24] rejects %j in one line', async (args, sentence) => {
    const rig = await createCliRig();
    const outcome = await rig.run('shell', ...args, '--project', rig.project);
    expect(outcome).toMatchObject({ code: 2, err: expect.stringMatching(sentence) as string });
  });
});
