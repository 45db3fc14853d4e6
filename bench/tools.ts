/**
 * Tools against plain disk access: a gated state patch, reading a file, listing a huge folder.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { buildToolRig } from '../packages/core/src/testing/rigs/build-tool-rig.ts';
import { atMost, compare, inFolder, type Row, toRow } from './measure.ts';

export async function benchTools(): Promise<Row[]> {
  return inFolder(async (folder) => {
    const { call, project, state } = await buildToolRig(folder);
    writeFileSync(join(project, 'docs.md'), 'A line of text that says something useful.\n'.repeat(2_400));
    mkdirSync(join(project, 'many'));
    for (let index = 0; index < 100_000; index++)
      writeFileSync(join(project, 'many', `file-${index}.md`), '');

    let count = 0;
    const patch = (): Promise<unknown> =>
      call('fs.apply_patch', {
        path: '@state/workflow.md',
        patches: [{ operation: 'updateFrontmatter', update: { variables: { set: { count: ++count } } } }],
      });
    const bareWrite = (): Promise<void> =>
      writeDurably(join(state, 'bare.md'), `${count}`.padEnd(2_000, 'x'));
    const read = (): Promise<unknown> => call('fs.read', { path: '@project/docs.md' });
    const bareRead = async (): Promise<string> =>
      createHash('sha256')
        .update(await readFile(join(project, 'docs.md')))
        .digest('hex');
    const list = (): Promise<unknown> => call('fs.list', { path: '@project/many' });

    const before = process.memoryUsage().rss;
    const listed = await compare(5, list, () => Promise.resolve());
    const grown = (process.memoryUsage().rss - before) / 1e6;
    return [
      toRow(
        'gated state patch / temp file, fsync, rename, fsync folder',
        await compare(300, patch, bareWrite),
        2.5,
      ),
      toRow('fs.read of 100 KB / readFile and sha256', await compare(300, read, bareRead), 2),
      atMost('fs.list of 100,000 entries', listed.ours, 300),
      atMost('memory grown by that', grown, 30, 'MB'),
    ];
  });
}

async function writeDurably(target: string, content: string): Promise<void> {
  const temp = `${target}.tmp`;
  const handle = await open(temp, 'wx');
  await handle.writeFile(content);
  await handle.sync();
  await handle.close();
  await rename(temp, target);
  const folder = await open(join(target, '..'), 'r');
  await folder.sync();
  await folder.close();
}
