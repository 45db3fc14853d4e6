/**
 * A process that changes several files with one call, forever: each to the next number. Prints a line after each call.
 */
import { join } from 'node:path';
import { openJournal } from '../../store/work-files/journal.ts';
import { buildToolRig } from '../rigs/build-tool-rig.ts';

const [root = '', ...names] = process.argv.slice(2);
const rig = await buildToolRig(root, {
  recorder: (files, folder) =>
    openJournal({
      folder: join(folder, 'journal'),
      files,
      clock: () => new Date(),
      warn: (text) => process.stdout.write(`${text}\n`),
    }),
});
for (;;) {
  const find = /\d+/.exec(await read(names[0] ?? ''))?.[0] ?? '';
  const patches = names.map((path) => ({ path, find, replace: `${Number(find) + 1}` }));
  const result = await rig.call('fs.apply_patch', { patches });
  process.stdout.write(result.ok ? '.\n' : `${JSON.stringify(result)}\n`);
}

async function read(path: string): Promise<string> {
  const result = await rig.call('fs.read', { path });
  return result.ok ? String(result.content) : '';
}
