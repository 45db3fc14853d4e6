import { copyFile, cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { VERSION } from '@crewagent/protocol/version';
import { describe, expect, it } from 'vitest';
import { driverPath } from '../../../core/src/testing/driver-path.ts';
import { tempFolder } from '../../../core/src/testing/temp-folder.ts';
import { startChainTeam } from '../testing/chain-team.ts';
import { spawnWorker } from '../testing/worker-process.ts';

/** The same program as another version. */
async function buildAs(version: string): Promise<string> {
  const dist = dirname(driverPath('worker-driver'));
  const root = await tempFolder();
  await copyFile(join(dist, '../package.json'), join(root, 'package.json'));
  await symlink(join(dist, '../node_modules'), join(root, 'node_modules'));
  await mkdir(join(root, 'dist'));
  await cp(dist, join(root, 'dist'), { recursive: true });
  const chunks = join(root, 'dist/chunks');
  for (const name of await readdir(chunks)) {
    const text = await readFile(join(chunks, name), 'utf8');
    const quoted = new RegExp(`(["'\`])${VERSION.replaceAll('.', '\\.')}\\1`, 'g');
    if (quoted.test(text)) await writeFile(join(chunks, name), text.replaceAll(quoted, `"${version}"`));
  }
  return join(root, 'dist/worker-driver.js');
}

describe('Workers of two versions', { timeout: 240_000 }, () => {
  it('share the queue', async () => {
    const { database, create } = await startChainTeam({ delayMs: 50 });
    await spawnWorker(database.url, { slots: 2 });
    await spawnWorker(database.url, { slots: 2, program: await buildAs('99.0.0') });
    const versions = await database.read<{ version: string }>('select version from workers order by 1');
    expect(versions.map(({ version }) => version)).toEqual([VERSION, '99.0.0']);
    const works = await Promise.all(Array.from({ length: 4 }, () => create()));
    const ended = await Promise.all(
      works.map((work) => work.start(undefined, { onAccepted: () => undefined })),
    );
    expect(ended.map(({ phase }) => phase)).toEqual(['Completed', 'Completed', 'Completed', 'Completed']);
    const took = await database.read('select distinct version from claims join workers using (worker_id)');
    expect(took).toHaveLength(2);
    for (const work of works) await work.close();
  });

  it('do not share a schema that only the newer one knows', async () => {
    const { database } = await startChainTeam();
    await database.write('update schema_version set version = version + 1');
    const said: string[] = [];
    await expect(spawnWorker(database.url, { onError: (text) => said.push(text) })).rejects.toThrow('ended');
    expect(said.join('')).toContain(
      'The database was set up by a newer version of crewagent; use that version.',
    );
    expect(await database.read('select from workers')).toEqual([]);
  });
});
