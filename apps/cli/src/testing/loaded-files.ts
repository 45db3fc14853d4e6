/** Which files of the built program its processes load. Those compiled by an earlier process are in no cache of Node's loader. */
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CliRig } from './cli-rig.ts';
import { ENTRY } from './running-command.ts';

const CHUNKS = join(dirname(ENTRY), 'chunks');
const HOOK = `const vm = require('node:vm');
const { Script } = vm;
const names = [];
vm.Script = class extends Script {
  constructor(source, options) {
    super(source, options);
    names.push(options?.filename);
  }
};
process.on('exit', () => process.stderr.write(['LOADED', ...names, ...Object.keys(require.cache)].join(' ')));
`;

/** From now on, processes of the rig write it to their error output when they end. */
export async function noteLoads(rig: CliRig): Promise<void> {
  const hook = join(rig.folder, 'note-loads.cjs');
  await writeFile(hook, HOOK);
  rig.env.NODE_OPTIONS = `--require ${hook}`;
}

export function loadedChunks(err: string): string[] {
  if (!err.includes('LOADED')) throw new Error('nothing was noted');
  return readdirSync(CHUNKS).filter((name) => err.includes(name));
}

/** The chunks with each of these texts; a text that is in none is an error. */
export function chunksWith(texts: readonly string[]): string[] {
  const chunks = readdirSync(CHUNKS).map((name) => [name, readFileSync(join(CHUNKS, name), 'utf8')] as const);
  return texts.flatMap((text) => {
    const found = chunks.filter(([, source]) => source.includes(text)).map(([name]) => name);
    if (found.length === 0) throw new Error(`no chunk has "${text}"`);
    return found;
  });
}
