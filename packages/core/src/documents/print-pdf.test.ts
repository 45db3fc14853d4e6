import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../testing/temp-folder.ts';
import { printPdf } from './print-pdf.ts';

const isPosix = process.platform !== 'win32';

describe('printPdf', () => {
  it.skipIf(!isPosix)('uses a browser without windows, too, which servers have', async () => {
    const folder = await tempFolder();
    const browser = join(folder, 'chromium-headless-shell');
    const script = ['#!/bin/sh', 'for each in "$@"; do', '  case "$each" in --print-to-pdf=*)'];
    script.push('    printf PDF > "$(echo "$each" | cut -d= -f2)";;', '  esac', 'done', '');
    await writeFile(browser, script.join('\n'));
    await chmod(browser, 0o755);
    expect((await printPdf('<p>x</p>', { PATH: `${folder}:/usr/bin:/bin` })).toString()).toBe('PDF');
  });

  it('says what to do without a browser', async () => {
    await expect(printPdf('<p>x</p>', { PATH: '' })).rejects.toMatchObject({ code: 'USAGE' });
  });
});
