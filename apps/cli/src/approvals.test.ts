import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRuntime } from '@crewagent/core';
import { describe, expect, it } from 'vitest';
import {
  type ProviderScript,
  startFakeProvider,
} from '../../../packages/core/src/testing/models/fake-provider.ts';
import { textReply, toolCallReply } from '../../../packages/core/src/testing/models/provider-replies.ts';
import { samplePackage } from '../../../packages/core/src/testing/packages/sample-package.ts';
import { openFilesOf } from './ask/open-files.ts';
import { attach, type CliRig, createCliRig, parseLines } from './testing/cli-rig.ts';
import { CTRL_D, runOnTerminal, type Steps } from './testing/terminal-rig.ts';

const DOWN = '\u001b[B';

const write = (...files: (readonly [path: string, content: string])[]) =>
  toolCallReply(
    files.map(([path, content], index) => ({
      id: `w${index}-${path}`,
      name: 'fs_write',
      arguments: { path: `@project/${path}`, content },
    })),
  );

const LEAVE: Steps = [
  ['Done.', ''],
  ['›', CTRL_D],
];

async function chat(replies: ProviderScript, steps: Steps, env: NodeJS.ProcessEnv = {}) {
  const rig = await createCliRig(env);
  await writeFile(join(rig.project, 'prd.md'), 'old\n');
  const provider = attach(await startFakeProvider(replies));
  const outcome = await runOnTerminal(
    rig,
    [['Ctrl-D', 'Write it\r'], ...steps, ...LEAVE],
    ...['chat', '-p', 'project', ...provider.options],
  );
  const content = (name: string): Promise<string> => readFile(join(rig.project, name), 'utf8');
  const lastSent = (): string => JSON.stringify(provider.requests.at(-1)?.body.messages.at(-1));
  return { ...outcome, rig, content, lastSent };
}

/** The decisions in the log of the conversation. */
async function decisionsIn(rig: CliRig, pkg: string, ...options: readonly string[]) {
  const { out } = await rig.run('run', pkg, '-p', 'project', '--json', ...options);
  return parseLines(out).events.filter(({ type }) => type === 'approval.resolved');
}

describe('approvals on a terminal', () => {
  it('[C91] a chat asks before it changes a file, and without a terminal it does not', async () => {
    const asked = await chat(
      [write(['prd.md', 'new\n']), textReply('Done.')],
      [
        ['[n]o', 'n\r'],
        ['instead?', 'Keep it\r'],
      ],
    );
    expect(asked.raw).toContain('\u001b[32m+new\u001b[39m');
    expect(await asked.content('prd.md')).toBe('old\n');
    expect(asked.lastSent()).toContain('Keep it');

    const rig = await createCliRig();
    const provider = attach(await startFakeProvider([write(['prd.md', 'new\n']), textReply('Done.')]));
    const pkg = await rig.write('sample', samplePackage());
    expect(await decisionsIn(rig, pkg, ...provider.options)).toEqual([]);
    expect(await readFile(join(rig.project, 'prd.md'), 'utf8')).toBe('new\n');
  });

  it('[C91] the settings choose another preset', async () => {
    const rig = await createCliRig();
    await rig.run('config', 'set', 'tools.approval', 'autopilot');
    const provider = attach(await startFakeProvider([write(['prd.md', 'new\n']), textReply('Done.')]));
    await runOnTerminal(
      rig,
      [['to leave', 'Write it\r'], ...LEAVE],
      ...['chat', '-p', 'project', ...provider.options],
    );
    expect(await readFile(join(rig.project, 'prd.md'), 'utf8')).toBe('new\n');
  });

  it('[C90] shows a screen of a long change; a key that allows shows the rest first and asks again', async () => {
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index}`).join('\n');
    const { raw, content } = await chat(
      [write(['prd.md', `${lines}\n`]), textReply('Done.')],
      [
        ['more lines: v shows them', 'y\r'],
        ['+line 59', ''],
        ['the rest of it', ''],
        ['[n]o', 'y\r'],
      ],
    );
    const [first = ''] = raw.split('more lines');
    expect(first).toContain('+line 3');
    expect(first).not.toContain('+line 30');
    expect(await content('prd.md')).toBe(`${lines}\n`);
  });

  it('[C90] wraps a long line between its words, with no text in the column of the marks', async () => {
    const words = Array.from({ length: 40 }, (_, index) => `-word${index}`).join(' ');
    const { screen, content } = await chat([write(['prd.md', words]), textReply('Done.')], [['[n]o', 'y\r']]);
    const rows = screen.split('\n').map((row) => row.trimEnd());
    const first = rows.findIndex((row) => row.startsWith('  +-word0 '));
    expect(rows[first]?.length).toBeLessThanOrEqual(80);
    expect(rows[first + 1]).toMatch(/^ {6}-word\d+ .*-word\d+$/);
    expect(await content('prd.md')).toBe(words);
  });

  it('[C90] v shows all of it, and then one key allows it', async () => {
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index}`).join('\n');
    const { screen, content } = await chat(
      [write(['prd.md', lines]), textReply('Done.')],
      [
        ['[v]iew all', 'v\r'],
        ['+line 59', ''],
        ['[n]o', 'y\r'],
      ],
    );
    expect(screen).not.toContain('the rest of it');
    expect(await content('prd.md')).toBe(lines);
  });

  it('[C90] says that a key is none of the choices, and asks again', async () => {
    const { content } = await chat(
      [write(['prd.md', 'new']), textReply('Done.')],
      [
        ['[n]o', 'q\r'],
        ['“q” is not one of these keys.', ''],
        ['[n]o', 'y\r'],
      ],
    );
    expect(await content('prd.md')).toBe('new');
  });

  it('[C15] allows for longer, chosen from lists', async () => {
    const { content } = await chat(
      [write(['docs/a.md', 'a']), write(['docs/b.md', 'b']), textReply('Done.')],
      [
        ['[a]llow longer', 'a\r'],
        ['For this conversation', '\r'],
        ['Everything in docs/', `${DOWN}\r`],
      ],
    );
    expect(await content('docs/b.md')).toBe('b');
  });

  it('[C90] allows all changes of a reply after all of them were shown', async () => {
    const { screen, content } = await chat(
      [write(['a.md', 'one\n'], ['b.md', 'two\n']), textReply('Done.')],
      [
        ['This reply changes 1 more file:', ''],
        ['[t] all 2', 't\r'],
        ['+two', ''],
        ['the other changes', ''],
        ['[t] all 2', 't\r'],
      ],
    );
    expect(screen).toContain('b.md');
    expect([await content('a.md'), await content('b.md')]).toEqual(['one\n', 'two\n']);
  });

  it('[C91] e saves the version of the person, and tells the model to read it', async () => {
    const { screen, content, lastSent, rig } = await chat(
      [write(['prd.md', 'new\n']), textReply('Done.')],
      [
        ['[e]dit', 'e\r'],
        ['Saved your version of prd.md', ''],
      ],
      { VISUAL: 'f() { echo mine >> "$1"; }; f' },
    );
    expect(screen).toContain('[e]dit');
    expect(await content('prd.md')).toBe('new\nmine\n');
    expect(lastSent()).toContain('wrote their own version of @project/prd.md');
    const runtime = createRuntime({ storeRoot: rig.store, env: rig.env });
    const [project] = await runtime.store.projects.list();
    const files = await openFilesOf(runtime, project?.projectId ?? '');
    const [change] = await files.changes();
    expect(change).toMatchObject({ kind: 'saved', path: '@project/prd.md', isUndoable: true });
    await files.undo(change?.id ?? '');
    await files.close();
    expect(await content('prd.md')).toBe('old\n');
  });

  it('[C91] nothing is saved if the editor fails or nothing was changed, and the question stays', async () => {
    const { content } = await chat(
      [write(['prd.md', 'new\n']), textReply('Done.')],
      [
        ['[e]dit', 'e\r'],
        ['changed nothing', ''],
        ['[e]dit', 'y\r'],
      ],
      { EDITOR: 'true' },
    );
    expect(await content('prd.md')).toBe('new\n');
    const failed = await chat(
      [write(['prd.md', 'new\n']), textReply('Done.')],
      [
        ['[e]dit', 'e\r'],
        ['ended with an error', ''],
        ['[e]dit', 'n\r'],
        ['instead?', '\r'],
      ],
      { EDITOR: 'false' },
    );
    expect(await failed.content('prd.md')).toBe('old\n');
  });

  it('[C91] asks in the language of the system', async () => {
    const { screen } = await chat([write(['prd.md', 'new\n']), textReply('Done.')], [['[y] 允许', 'y\r']], {
      LANG: 'zh_CN.UTF-8',
      LC_ALL: 'zh_CN.UTF-8',
    });
    expect(screen).toContain('[n] 拒绝');
  });
});
