import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { driverPath } from '../../../testing/driver-path.ts';
import { tempFolder } from '../../../testing/temp-folder.ts';
import { readRunLog } from './run-log.ts';

describe('a process that writes a log', () => {
  it('[E1] and is killed leaves every event it reported, and the next process continues', async () => {
    const driver = driverPath('store-driver');
    const file = join(await tempFolder(), 'execution.jsonl');
    let last = 0;
    for (let kill = 0; kill < 8; kill++) {
      const child = spawn(process.execPath, [driver, 'append forever', file], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
      for (let data = 0; data < 2 + kill; data++) await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await once(child, 'close');
      const { isIntact, lastSeq } = await readRunLog(file, () => undefined);
      expect(isIntact).toBe(true);
      const lastReported = Number(output.split('\n').at(-2));
      expect(lastReported).toBeGreaterThan(last);
      expect(lastSeq).toBeGreaterThanOrEqual(lastReported);
      last = lastSeq;
    }
  });

  it('[E1] on a full disk reports the error, and continues with events that fit', async () => {
    const driver = driverPath('store-driver');
    const file = join(await tempFolder(), 'execution.jsonl');
    const command = `ulimit -f 40; trap '' XFSZ; exec "$0" "$1" "append too much" "$2"`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', command, process.execPath, driver, file], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const { code, message, lastSeq } = JSON.parse(stdout) as {
      code: string;
      message: string;
      lastSeq: number;
    };
    expect([code, message]).toEqual([
      'DISK',
      'Could not write the log of the run: the file is too large for this disk.',
    ]);
    expect(await readRunLog(file, () => undefined)).toEqual({ isIntact: true, lastSeq });
    expect((await readFile(file, 'utf8')).endsWith('"}\n')).toBe(true);
  });
});
