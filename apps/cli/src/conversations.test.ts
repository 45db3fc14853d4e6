import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCliRig } from './testing/cli-rig.ts';
import { runOnTerminal } from './testing/terminal-rig.ts';
import { writeThreadPackage } from './testing/thread-package.ts';

/** A chat, and after it a conversation with an agent that is in a run. */
async function startBoth() {
  const rig = await createCliRig();
  const pkg = await writeThreadPackage(rig);
  await rig.run('chat', '-p', 'project', '--rehearsal', '-i', 'What \u001b[31mis here?');
  await rig.run('agent', pkg, '-p', 'project', '--rehearsal', '-i', 'hello there', '-i', 'go');
  return rig;
}

describe('conversations', () => {
  it('[C17] lists conversations of all projects or of one, latest first', async () => {
    const rig = await startBoth();
    const { code, out, err } = await rig.run('conversations');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const [one = '', two = ''] = out.split('\n');
    expect(one).toMatch(/^[0-9a-f]{8} {2}✔ completed {2}hello there +Ann \(talk\) {2}project {2}just now$/);
    expect(two).toMatch(/^[0-9a-f]{8} {2}· open {7}What \[31mis here\? {2}chat +project {2}just now$/);
    expect(out).not.toContain('\u001b[31m');
    const listed = JSON.parse((await rig.run('conversations', 'list', '--json')).out) as object[];
    expect(listed).toHaveLength(2);
    expect(listed[0]).toMatchObject({ record: { kind: 'agent', title: 'hello there' } });

    expect((await rig.run('conversations', '-p', 'project')).out.trimEnd().split('\n')).toHaveLength(2);
    expect((await rig.run('conversations', '-p', '.')).out).toMatch(
      /^There are no conversations in this project\./,
    );
    expect((await (await createCliRig()).run('conversations')).out).toMatch(
      /^There are no conversations yet\./,
    );
  });

  it('[C17] lists a damaged conversation as damaged', async () => {
    const rig = await startBoth();
    const [project = ''] = await readdir(join(rig.store, 'projects'));
    const folder = join(rig.store, 'projects', project, 'conversations');
    const [id = ''] = await readdir(folder);
    await writeFile(join(folder, id, 'conversation.json'), 'x');
    const { code, out } = await rig.run('conversations', '--all');
    expect(code).toBe(0);
    expect(out.trimEnd().split('\n')).toHaveLength(2);
    expect(out).toContain('✖ damaged');
    expect((await rig.run('conversations', 'delete', id, '--yes')).code).toBe(0);
    expect(existsSync(join(folder, id))).toBe(false);
  });

  it('[C17] show prints messages, actions and the command that continues', async () => {
    const rig = await startBoth();
    const { code, out } = await rig.run('conversations', 'show', 'last');
    expect(code).toBe(0);
    const order = [
      'hello there\n',
      'with          A Ann, Analyst',
      '◆ Now talking to Ann, Analyst\n› hello there\n│ ',
      '› go\n◆ ',
      'step-01 → end-99 (next)',
      '✔ Workflow completed',
    ];
    let at = 0;
    for (const expected of order) {
      expect(out.slice(at)).toContain(expected);
      at = out.indexOf(expected, at);
    }
    expect(out).toMatch(/continue {6}crewagent agent [0-9a-f]{12} --continue [0-9a-f]{8}\n$/);
    const report = JSON.parse((await rig.run('conversations', 'show', 'last', '--json')).out) as {
      timeline: { item: { kind: string } }[];
    };
    expect(report).toMatchObject({
      record: { title: 'hello there' },
      isOpen: false,
      runs: [{ phase: 'Completed' }],
    });
    expect(report.timeline.map(({ item }) => item.kind)).toContain('move');
  });

  it('[C17] renames, archives and restores', async () => {
    const rig = await startBoth();
    const renamed = await rig.run('conversations', 'rename', 'last', 'The', 'login story');
    expect(renamed).toMatchObject({ code: 0, err: '' });
    expect(renamed.out).toMatch(/^✔ conversation [0-9a-f]{8} \(The login story\)\n$/);
    const [, id = ''] = /conversation ([0-9a-f]{8})/.exec(renamed.out) ?? [];
    expect((await rig.run('conversations', 'archive', id)).out).toContain('✔ archived conversation');
    expect((await rig.run('conversations')).out).not.toContain('The login story');
    expect((await rig.run('conversations', '--all')).out).toMatch(/The login story.+\(archived\)/);
    expect((await rig.run('conversations', 'archive', id, '--undo')).out).toContain('✔ restored');
    expect((await rig.run('conversations')).out).toContain('The login story');
    expect(await rig.run('conversations', 'rename', 'last', ' ')).toMatchObject({ code: 2, out: '' });
  });

  it('[C17] delete lists the runs it deletes, and requires --yes', async () => {
    const rig = await startBoth();
    const refused = await rig.run('conversations', 'delete', 'last');
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toMatch(
      /conversation [0-9a-f]{8} \(hello there\) and its 1 run cannot be undone\. Confirm with --yes/,
    );
    const { code, out } = await rig.run('conversations', 'delete', 'last', '--yes');
    expect(code).toBe(0);
    expect(out).toMatch(/^✔ deleted conversation [0-9a-f]{8} \(hello there\) and its 1 run\n$/);
    expect((await rig.run('runs')).out).toMatch(/^There are no runs yet/);
    expect((await rig.run('conversations')).out.trimEnd().split('\n')).toHaveLength(1);
  });

  it('[C17] reports an unknown id in one line', async () => {
    const rig = await createCliRig();
    for (const args of [['show'], ['rename'], ['archive'], ['delete', '--yes']]) {
      const title = args[0] === 'rename' ? ['x'] : [];
      const { code, out, err } = await rig.run('conversations', ...args, 'last', ...title);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(/^Error: .+\n$/);
    }
  });

  it('[C17] delete asks for confirmation on a terminal', async () => {
    const rig = await createCliRig();
    await rig.run('chat', '-p', 'project', '--rehearsal', '-i', 'Hello');
    const declined = await runOnTerminal(rig, [['[y/N]', '\r']], 'conversations', 'delete', 'last');
    expect(declined).toMatchObject({
      code: 0,
      screen: expect.stringContaining('Nothing was deleted.') as string,
    });
    const gone = await runOnTerminal(rig, [['[y/N]', 'y\r']], 'conversations', 'delete', 'last');
    expect(gone.screen).toContain('✔ deleted conversation');
  });
});
