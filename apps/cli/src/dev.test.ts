import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FollowedRound } from '@crewagent/core';
import { createApiClient } from '@crewagent/protocol/api/client';
import { afterEach, describe, expect, it } from 'vitest';
import { ROOT, type Running, spawnCommand, startCommand } from './testing/running-command.ts';
import { tempDir } from './testing/temp-dir.ts';

const running: Running[] = [];

afterEach(async () => {
  for (const command of running.splice(0)) {
    command.kill('SIGINT');
    await command.ended;
  }
});

function createFolder() {
  const folder = join(realpathSync(tempDir()), 'hello');
  cpSync(join(ROOT, 'examples/hello-branch'), folder, { recursive: true });
  const env = { ...process.env, CREWAGENT_HOME: join(folder, '../store'), FORCE_COLOR: undefined };
  const start = (...args: string[]): Running => {
    const command = startCommand(['dev', ...args], { cwd: folder, env });
    running.push(command);
    return command;
  };
  const edit = (file: string, change: (text: string) => string): void =>
    writeFileSync(join(folder, file), change(readFileSync(join(folder, file), 'utf8')));
  /** The round with this number, from 1. */
  const round = async (command: Running, number: number): Promise<FollowedRound> => {
    await expect.poll(() => command.out().split('\n').length, { timeout: 60_000 }).toBeGreaterThan(number);
    return JSON.parse(command.out().split('\n')[number - 1] ?? '') as FollowedRound;
  };
  return { folder, env, start, edit, round };
}

describe('dev', () => {
  it('[K32] checks and tests a package after each change, only what the change concerns, and installs nothing', async () => {
    const { folder, start, edit, round } = createFolder();
    const command = start('.', '--no-page', '--json');
    const first = await round(command, 1);
    expect(first).toMatchObject({ ok: true, changed: [], percent: 100 });
    expect([first.tests.length, first.tested.length]).toEqual([3, 3]);

    edit('tests/lazy.yaml', (text) => text.replace('waiting', 'completed'));
    const tested = await round(command, 2);
    expect(tested).toMatchObject({ ok: false, changed: ['tests/lazy.yaml'], tested: ['tests/lazy.yaml'] });
    expect(tested.tests.map(({ file, ok }) => [file, ok])).toContainEqual(['tests/lazy.yaml', false]);
    expect(tested.tests).toHaveLength(3);

    edit('workflow.graph.json', (text) => text.replace('"step-03b-brownfield"', '"no-such-step"'));
    const invalid = await round(command, 3);
    expect(invalid).toMatchObject({ ok: false, changed: ['workflow.graph.json'], tests: [] });
    expect(invalid.findings.map(({ file }) => file)).toContain('workflow.graph.json');

    edit('workflow.graph.json', (text) => text.replace('"no-such-step"', '"step-03b-brownfield"'));
    expect((await round(command, 4)).tested).toHaveLength(3);
    rmSync(join(folder, 'tests'), { recursive: true });
    expect(await round(command, 5)).toMatchObject({ ok: true, tests: [] });

    command.kill('SIGINT');
    expect(await command.ended).toMatchObject({ code: 0, err: '' });
    expect(existsSync(join(folder, '../store'))).toBe(false);
  });

  it('follows a method and its tests, not what else is in its folder, and says what is wrong in words', async () => {
    const { folder, start, round } = createFolder();
    cpSync(join(ROOT, 'examples/incident-report/method.md'), join(folder, '../report.md'));
    const method = join(folder, '../report.md');
    const command = start(method, '--no-page', '--json');
    expect(await round(command, 1)).toMatchObject({ changed: [], tests: [] });
    writeFileSync(join(folder, '../other.md'), 'Not part of it.\n');
    writeFileSync(method, `${readFileSync(method, 'utf8')}\n## Later\n\nNothing leads here.\n`);
    expect((await round(command, 2)).changed).toEqual(['report.md']);

    const plain = start(method, '--no-page');
    await plain.printed('report.md');
    expect(plain.out()).toMatch(/Following the package[\s\S]*(?:edges \d+\/\d+|not valid)/);
  });

  it('stays alive without a page of its own until it is interrupted', async () => {
    const { folder, env, edit } = createFolder();
    const command = spawnCommand(['dev', '.', '--no-page'], { cwd: folder, env });
    running.push(command);
    await command.printed('3 of 3 tests pass');
    edit('tests/lazy.yaml', (text) => text.replace('waiting', 'completed'));
    await command.printed('2 of 3 tests pass');
    command.kill('SIGINT');
    expect(await command.ended).toMatchObject({ code: 0, err: '' });
  });

  it('serves the page of the folder, which follows it, and ends with the server', async () => {
    const { folder, env, start } = createFolder();
    const command = start('.');
    await command.printed('3 of 3 tests pass');
    const [, url = '', token = ''] =
      /(http:\/\/\S+?)\/packages\/edit\/\S+#token=(\S+)/.exec(command.out()) ?? [];
    const { authoring, packages } = createApiClient({ baseUrl: url, token });
    const { model, path } = await authoring.open({ body: { path: folder } });
    expect([path, model.name]).toEqual([folder, 'hello-branch']);
    expect(await packages.list({})).toEqual({ packages: [] });
    command.kill('SIGTERM');
    expect((await command.ended).code).toBe(0);
    await expect(fetch(url)).rejects.toThrow();
    const chinese = startCommand(['dev', '.', '--no-page'], {
      cwd: folder,
      env: { ...env, LANG: 'zh_CN.UTF-8', LC_ALL: 'zh_CN.UTF-8' },
    });
    running.push(chinese);
    await chinese.printed('3 个测试中 3 个通过');
  });

  it('refuses what it cannot follow with one line', async () => {
    const { folder, start } = createFolder();
    const missing = await start('nowhere', '--no-page').ended;
    expect(missing).toMatchObject({ code: 2 });
    expect(missing.err).toContain('There is no file or folder');
    expect((await start('nowhere').ended).out).toBe('');
    mkdirSync(join(folder, 'sub'));
    const file = await start('bmad.json', '--no-page').ended;
    expect(file.err).toContain('neither a package folder nor a method');
  });
});
