import { chown, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCliRig } from './testing/cli-rig.ts';

const COMMANDS: readonly (readonly string[])[] = [
  ['runs'],
  ['conversations'],
  ['packages', 'list'],
  ['config', 'list'],
  ['doctor'],
  ['chat', '--input', 'hello'],
  ['run', 'no-such-package'],
  ['show', 'last'],
  ['serve', '--no-open'],
];

describe.skipIf(process.platform === 'win32')('commands on a store', () => {
  it.runIf(process.geteuid?.() === 0).each(COMMANDS)(
    '[A25] rejects a store of another user: "%s" is one line and exit code 2',
    async (...args) => {
      const rig = await createCliRig();
      await mkdir(rig.store);
      await chown(rig.store, 65_534, 65_534);
      const { code, err } = await rig.run(...args);
      expect(err).toBe(
        `Error: The store "${rig.store}" belongs to another user; choose a folder of your own with CREWAGENT_HOME.\n`,
      );
      expect(code).toBe(2);
      expect(await readdir(rig.store)).toEqual([]);
    },
  );

  it('names a store that cannot be opened, and how to choose another one', async () => {
    const file = join((await createCliRig()).folder, 'file');
    await writeFile(file, '');
    const rig = await createCliRig({ CREWAGENT_HOME: join(file, 'store') });
    const { code, err } = await rig.run('serve', '--no-open');
    expect(code).toBe(2);
    expect(err).toContain(
      `Could not open the store "${join(file, 'store')}" (CREWAGENT_HOME names another one): there is a file`,
    );
  });

  it.each([
    ...COMMANDS.filter(([command]) => command !== 'doctor'),
    ['search', 'supper'],
    ['models', 'report'],
    ['undo', 'last'],
  ])('[C1] names a store that is a file, instead of an empty list: "%s"', async (...args) => {
    const rig = await createCliRig();
    await writeFile(rig.store, '');
    const { code, out, err } = await rig.run(...args);
    expect({ code, out, err }).toEqual({
      code: 2,
      out: '',
      err: `Error: Could not open the store "${rig.store}" (CREWAGENT_HOME names another one): there is a file where a folder is needed.\n`,
    });
  });

  it('[A25] removes access for others from the store first', async () => {
    const rig = await createCliRig();
    await mkdir(rig.store, { mode: 0o755 });
    expect(await rig.run('runs')).toMatchObject({ code: 0 });
    expect((await stat(rig.store)).mode & 0o777).toBe(0o700);
  });

  it.runIf(process.geteuid?.() === 0)(
    '[A25] loads no compiled code from the store of another user',
    async () => {
      const rig = await createCliRig();
      await mkdir(rig.store);
      await chown(rig.store, 65_534, 65_534);
      const { code, err } = await rig.spawn('packages', 'list').ended;
      expect([code, err]).toEqual([2, expect.stringContaining('belongs to another user')]);
      expect(await readdir(rig.store)).toEqual([]);
    },
  );
});
