/**
 * Installing a package of 50 MB against bare unzipping (read, inflate, write, fsync, without any checks), and its memory.
 */
import { spawnSync } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflateRawSync, inflateRaw, type ZlibOptions } from 'node:zlib';
import { createPackage, importPackage, openUserStore, packFolder } from '@crewagent/core';
import { atMost, compare, inFolder, type Row, toRow } from './measure.ts';

const context = { runtimeVersion: '0.1.0', knownServers: new Set<string>() };
const inflate = promisify<Buffer, ZlibOptions, Buffer>(inflateRaw);
const FILES = 50;
const BYTES = 1_000_000;

export async function benchImport(): Promise<Row[]> {
  return inFolder(async (folder) => {
    const source = join(folder, 'package');
    await createPackage(source, 'large');
    mkdirSync(join(source, 'assets'));
    // Half random bytes, half text: partly stored, partly deflated.
    const noise = randomFillSync(Buffer.alloc(BYTES / 2));
    const content = Buffer.concat([noise, Buffer.alloc(BYTES / 2, 'Some text that compresses. ')]);
    for (let index = 0; index < FILES; index++)
      writeFileSync(join(source, 'assets', `${index}.bin`), content);
    const archive = join(folder, 'package.bmad');
    await packFolder(source, archive, context);
    const packed = deflateRawSync(content);
    let round = 0;
    const ours = (): Promise<unknown> =>
      importPackage(archive, openUserStore(join(folder, `s${round++}`)), context);
    const baseline = (): Promise<unknown> => writeDurably(archive, join(folder, `f${round++}`), packed);
    const times = await compare(5, ours, baseline);
    return [
      toRow('import 50 MB / inflate it and write the files, each with fsync', times, 1.5),
      atMost('peak memory of that import', peakMegabytes(archive, join(folder, 'memory')), 150, 'MB'),
    ];
  });
}

async function writeDurably(archive: string, target: string, packed: Buffer): Promise<void> {
  await readFile(archive);
  mkdirSync(target);
  for (let index = 0; index < FILES; index++) {
    const handle = await open(join(target, `${index}`), 'wx');
    await handle.writeFile(await inflate(packed, { chunkSize: BYTES }));
    await handle.sync();
    await handle.close();
  }
}

function peakMegabytes(archive: string, home: string): number {
  const report =
    'data:text/javascript,process.on("exit",()=>process.stderr.write("maxrss "+process.resourceUsage().maxRSS))';
  const { stderr, status } = spawnSync(
    process.execPath,
    ['--import', report, 'apps/cli/dist/crewagent.js', 'packages', 'add', archive],
    { env: { ...process.env, CREWAGENT_HOME: home }, encoding: 'utf8' },
  );
  const kilobytes = Number(/maxrss (\d+)/.exec(stderr)?.[1]);
  if (status !== 0 || !kilobytes) throw new Error(`the import failed: ${stderr}`);
  return kilobytes / 1000;
}
