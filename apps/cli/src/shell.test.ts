import { describe, expect, it } from 'vitest';
import { hasSandbox } from '../../../packages/core/src/testing/require-sandbox.ts';
import { createCliRig } from './testing/cli-rig.ts';

describe('shell', () => {
  it('[C55] switches commands on and off in a project, with rules, and shows the sandbox', async () => {
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
    expect(out).toContain(hasSandbox ? 'with network access' : 'You approve each command.');
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
  ])('[C55] rejects %j in one line', async (args, sentence) => {
    const rig = await createCliRig();
    const outcome = await rig.run('shell', ...args, '--project', rig.project);
    expect(outcome).toMatchObject({ code: 2, err: expect.stringMatching(sentence) as string });
  });
});
