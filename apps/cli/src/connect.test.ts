import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createCliRig } from './testing/cli-rig.ts';

it('"connect" shows what it adds and writes it with --yes; "disconnect" takes it out', async () => {
  const rig = await createCliRig();
  const file = join(rig.project, '.mcp.json');
  const shown = await rig.run('connect', 'claude-code', '--project', rig.project);
  expect([shown.code, existsSync(file)]).toEqual([2, false]);
  expect(shown.out).toMatch(/^\+ .*"mcpServers"/m);
  expect(shown.err).toContain('--yes');
  expect((await rig.run('connect', 'claude-code', '--project', rig.project, '--yes')).code).toBe(0);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    mcpServers: { crewagent: { args: expect.arrayContaining(['mcp', 'serve']) as unknown } },
  });
  const again = await rig.run('connect', 'claude-code', '--project', rig.project, '--yes');
  expect(again.out).toContain('connected already');
  expect((await rig.run('disconnect', 'claude-code', '--project', rig.project, '--yes')).code).toBe(0);
  expect(existsSync(file)).toBe(false);
  const unknown = await rig.run('connect', 'emacs');
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('claude-code, cursor')]);
});

it('"connect" passes the store of this person on, but not in a file of the project', async () => {
  const rig = await createCliRig();
  const shared = await rig.run('connect', 'cursor', '--project', rig.project, '--yes');
  expect(shared.out).toContain('CREWAGENT_HOME is not in this file');
  expect(readFileSync(join(rig.project, '.cursor/mcp.json'), 'utf8')).not.toContain('CREWAGENT_HOME');
  const own = await rig.run('connect', 'cursor', '--scope', 'user');
  expect(own.out).toMatch(/^\+ .*"CREWAGENT_HOME": /m);
});

it('"export-skill" writes a skill of an installed package', async () => {
  const rig = await createCliRig();
  const source = join(import.meta.dirname, '../../../examples/create-story-micro');
  expect((await rig.run('packages', 'add', source)).code).toBe(0);
  const { code, err } = await rig.run('export-skill', 'create-story-micro', '-o', join(rig.folder, 'skills'));
  expect([code, err]).toEqual([0, '']);
  const text = readFileSync(join(rig.folder, 'skills/create-story-micro/SKILL.md'), 'utf8');
  expect(text).toContain('name: create-story-micro');
});
