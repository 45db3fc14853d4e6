/** `StoredLines` in a file that only its owner can read. */
import { open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createFolders, replaceFile } from '../../base/durable-files.ts';
import { ifPresent } from '../../base/errno.ts';
import type { StoredLines } from '../stored-lines.ts';

const LINE_FEED = 0x0a;

export function createDiskLines(file: string): StoredLines {
  return {
    async read(onLine) {
      const bytes = await ifPresent(readFile(file));
      if (!bytes) return;
      // Line by line: the whole may be longer than a string can be.
      for (let start = 0; start < bytes.length; ) {
        const found = bytes.indexOf(LINE_FEED, start);
        const end = found < 0 ? bytes.length : found;
        if (end > start) onLine(bytes.toString('utf8', start, end));
        start = end + 1;
      }
    },
    async append(lines) {
      await createFolders(dirname(file));
      const handle = await open(file, 'a', 0o600);
      try {
        // The last line may be incomplete, after a crash.
        await handle.write(`\n${lines.join('\n')}\n`);
      } finally {
        await handle.close();
      }
    },
    async replace(lines) {
      await createFolders(dirname(file));
      await replaceFile(file, Buffer.from(`${lines.join('\n')}\n`));
    },
  };
}
