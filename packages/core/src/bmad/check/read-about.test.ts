import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDiskStore } from '../../store/disk/open-store.ts';
import { testContext } from '../../testing/inspect.ts';
import { zipOf } from '../../testing/packages/raw-zip.ts';
import { samplePackage } from '../../testing/packages/sample-package.ts';
import { tempFolder } from '../../testing/temp-folder.ts';
import { importPackage } from '../import-package.ts';
import { listInstalled } from '../installed-packages.ts';
import { inspectPackage } from '../load-package.ts';

async function archiveWith(about: unknown, files: Record<string, string> = {}): Promise<string> {
  const file = join(await tempFolder(), 'package.bmad');
  const text = typeof about === 'string' ? about : JSON.stringify(about);
  await writeFile(file, zipOf({ ...samplePackage(), ...files, 'about.json': text }));
  return file;
}

const WHOLE = {
  title: 'A sample',
  license: 'MIT OR Apache-2.0',
  homepage: 'https://example.org/sample',
  repository: 'https://example.org/sample.git',
  keywords: ['notes', '笔记'],
  icon: 'assets/icon.png',
  authors: [{ name: 'Ada', email: 'ada@example.org', url: 'https://example.org/ada' }],
  engines: { crewagent: '>=0.0.1' },
  source: 'a module',
};

describe('about.json', () => {
  it('is part of the package and gives it its title in the list', async () => {
    const store = openDiskStore(join(await tempFolder(), 'store'));
    const file = await archiveWith(WHOLE, { 'assets/icon.png': 'x' });
    expect(await inspectPackage(file, testContext)).toMatchObject({
      diagnostics: [],
      package: { about: WHOLE },
    });
    await importPackage(file, store, testContext);
    expect(await listInstalled(store)).toMatchObject([{ name: 'sample', title: 'A sample' }]);
  });

  it.each<[about: unknown, found: string[], kept: unknown]>([
    [
      { ...WHOLE, icon: undefined, color: 'red' },
      ['ABOUT_INVALID '],
      { title: 'A sample', license: 'MIT OR Apache-2.0' },
    ],
    [{ title: 'T', authors: [{ name: 'A', phone: 1 }] }, ['ABOUT_INVALID /authors/0'], { title: 'T' }],
    [{ title: 'T', homepage: 'javascript:alert(1)' }, ['ABOUT_INVALID /homepage'], { title: 'T' }],
    [{ title: 7, keywords: 'a' }, ['ABOUT_INVALID /title', 'ABOUT_INVALID /keywords'], {}],
    [{ icon: 'assets/none.png' }, ['ABOUT_INVALID /icon'], {}],
    [{ icon: 'assets/icon.svg' }, ['ABOUT_INVALID /icon'], {}],
    [{ engines: { crewagent: 'soon' } }, ['ABOUT_INVALID /engines/crewagent'], {}],
    [{ engines: { crewagent: '>=99' } }, ['ENGINE_UNSUPPORTED /engines/crewagent'], {}],
    [[], ['ABOUT_INVALID '], {}],
  ])('%j: warnings, and the other fields stay', async (about, found, kept) => {
    const { diagnostics, package: loaded } = await inspectPackage(await archiveWith(about), testContext);
    expect(diagnostics.map(({ severity, code, pointer = '' }) => `${severity} ${code} ${pointer}`)).toEqual(
      found.map((text) => `warning ${text}`),
    );
    expect(loaded?.about).toMatchObject(kept as object);
  });

  it('for other versions of CrewAgent refuses the installation, and says so', async () => {
    const store = openDiskStore(join(await tempFolder(), 'store'));
    const file = await archiveWith({ engines: { crewagent: '>=99' } });
    await expect(importPackage(file, store, testContext)).rejects.toMatchObject({
      code: 'PACKAGE_INVALID',
      details: {
        diagnostics: [{ severity: 'error', message: 'the package is for CrewAgent >=99, and this is 0.1.0' }],
      },
    });
    expect(await listInstalled(store)).toEqual([]);
  });
});
