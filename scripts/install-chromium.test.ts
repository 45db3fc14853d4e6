import { existsSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../packages/core/src/testing/temp-folder.ts';
import { ensureBubblewrap } from './install-bubblewrap.mjs';
import { ensureChromium, type InstallOptions } from './install-chromium.mjs';

const DPKG_LOCK = `E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 4711 (unattended-upgr)
E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?`;
const LISTS_LOCK = `E: Could not get lock /var/lib/apt/lists/lock. It is held by process 4711 (unattended-upgr)
E: Unable to lock directory /var/lib/apt/lists/`;
const DOWNLOADS_LOCK = `E: Could not get lock /var/cache/apt/archives/lock. It is held by process 4711 (unattended-upgr)
E: Unable to lock directory /var/cache/apt/archives/`;
const UNNAMED_LOCK = 'E: Could not get lock /var/lib/dpkg/lock - open (11: Resource temporarily unavailable)';
const NOT_KNOWN = 'E: Unable to locate package chromium';
const OFFLINE = 'E: Failed to fetch http://deb.debian.org/debian/dists/bookworm/InRelease';

/** The errors of the first calls of each command, in order; later calls succeed. */
interface AptScript {
  readonly install?: readonly string[];
  readonly update?: readonly string[];
}

/** Counts its calls in a file of its folder, and fails while there is an error for that call. */
const APT_GET = `#!/bin/sh
folder=\${0%/*}
command=$2
count=0
[ -f "$folder/$command.count" ] && read -r count < "$folder/$command.count"
echo $((count + 1)) > "$folder/$command.count"
if [ -f "$folder/$command.$count" ]; then
  while read -r line; do echo "$line" >&2; done < "$folder/$command.$count"
  exit 100
fi
for last; do :; done
[ "$command" = update ] || : > "$folder/$last"
`;

/** A machine with an empty PATH, or only a fake `apt-get` if a script is given. */
async function createMachine(script?: AptScript) {
  const root = await tempFolder();
  const bin = join(root, 'bin');
  const downloaded = join(root, 'downloaded');
  await mkdir(bin);
  if (script) {
    await writeFile(join(bin, 'apt-get'), APT_GET);
    await chmod(join(bin, 'apt-get'), 0o755);
  }
  for (const [command, errors] of Object.entries<readonly string[]>({ ...script }))
    for (const [index, error] of errors.entries())
      await writeFile(join(bin, `${command}.${index}`), `${error}\n`);
  const said: string[] = [];
  const waits: number[] = [];
  const options = {
    env: { PATH: bin },
    isRoot: true,
    otherPaths: () => [downloaded],
    log: (sentence: string) => void said.push(sentence),
    wait: (ms: number) => Promise.resolve(waits.push(ms)),
    download: () => writeFileSync(downloaded, ''),
  } satisfies InstallOptions;
  return { options, said, waits, packaged: join(bin, 'chromium-headless-shell'), downloaded, bin };
}

const INSTALLING = 'The tests of the page need Chromium; installing it (once)…';

describe.skipIf(process.platform === 'win32')('a browser for the tests', () => {
  it('[I2] is not installed if there is one', async () => {
    const { options, said, bin, downloaded } = await createMachine({});
    const env = { ...options.env, CREWAGENT_CHROMIUM: '/a/browser' };
    options.download();
    expect(await ensureChromium(options)).toBe(downloaded);
    await writeFile(join(bin, 'google-chrome'), '');
    expect(await ensureChromium(options)).toBe(join(bin, 'google-chrome'));
    expect(await ensureChromium({ ...options, env })).toBe('/a/browser');
    expect(said).toEqual([]);
  });

  it('[I2] is installed with apt-get', async () => {
    const { options, said, packaged } = await createMachine({});
    expect(await ensureChromium(options)).toBe(packaged);
    expect(said).toEqual([INSTALLING]);
  });

  it('[I2] is installed after updating outdated package lists', async () => {
    const { options, said, packaged } = await createMachine({ install: [NOT_KNOWN] });
    expect(await ensureChromium(options)).toBe(packaged);
    expect(said).toEqual([INSTALLING]);
  });

  it('[I2] is the whole browser if there is no package of the headless shell', async () => {
    const { options, bin } = await createMachine({ install: [NOT_KNOWN, NOT_KNOWN] });
    expect(await ensureChromium(options)).toBe(join(bin, 'chromium'));
  });

  it.each([
    ['there is no apt-get', undefined, []],
    ['apt-get has none', { install: [NOT_KNOWN, NOT_KNOWN, NOT_KNOWN] }, [NOT_KNOWN]],
    ['apt-get is offline', { install: [OFFLINE, OFFLINE], update: [OFFLINE] }, [OFFLINE]],
  ])('[I2] is downloaded where %s', async (_, script, reasons) => {
    const { options, said, downloaded } = await createMachine(script);
    expect(await ensureChromium(options)).toBe(downloaded);
    expect(said).toEqual([
      INSTALLING,
      ...reasons.map((reason) => `apt-get could not install Chromium: ${reason}`),
    ]);
  });

  it('[I2] is downloaded without root, and missing if that fails, too', async () => {
    const { options, downloaded } = await createMachine({});
    expect(await ensureChromium({ ...options, isRoot: false, download: () => undefined })).toBeUndefined();
    expect(await ensureChromium({ ...options, isRoot: false })).toBe(downloaded);
  });

  it.each([
    ['dpkg', { install: [DPKG_LOCK, DPKG_LOCK, DPKG_LOCK] }],
    ['the package lists', { install: [NOT_KNOWN], update: [LISTS_LOCK, LISTS_LOCK, LISTS_LOCK] }],
    ['one after the other', { install: [DPKG_LOCK, NOT_KNOWN, DOWNLOADS_LOCK], update: [LISTS_LOCK] }],
  ])('[I2] waits for the lock of %s, and says so once', async (_, script) => {
    const { options, said, waits, packaged } = await createMachine(script);
    expect(await ensureChromium(options)).toBe(packaged);
    expect(waits).toEqual([5_000, 5_000, 5_000]);
    expect(said).toEqual([
      INSTALLING,
      'Waiting up to 15 minutes for unattended-upgr (process 4711) to release the package manager; after that Chromium is downloaded by Playwright instead…',
    ]);
  });

  it('[I2] waits for a program that apt-get does not name', async () => {
    const { options, said, packaged } = await createMachine({ install: [UNNAMED_LOCK] });
    expect(await ensureChromium(options)).toBe(packaged);
    expect(said[1]).toMatch(/^Waiting up to 15 minutes for another program to release the package manager;/);
  });

  it('[I2] is downloaded after waiting 15 minutes', async () => {
    const { options, said, waits, downloaded } = await createMachine({ install: Array(200).fill(DPKG_LOCK) });
    expect(await ensureChromium(options)).toBe(downloaded);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBe(15 * 60_000);
    expect(said).toHaveLength(2);
  });
});

describe.skipIf(process.platform !== 'linux')('bubblewrap for the tests of the sandbox', () => {
  const NEEDED = 'The tests of the sandbox need bubblewrap; installing it (once)…';

  it('[I2] is installed as root, if there is none', async () => {
    const { options, said, bin } = await createMachine({ install: [NOT_KNOWN] });
    await ensureBubblewrap({ ...options, isRoot: false });
    expect(said).toEqual([]);
    await ensureBubblewrap(options);
    expect(existsSync(join(bin, 'bubblewrap'))).toBe(true);
    expect(said).toEqual([NEEDED]);
    await writeFile(join(bin, 'bwrap'), '');
    await ensureBubblewrap(options);
    expect(said).toEqual([NEEDED]);
  });

  it('[I2] is not required: the reason is printed', async () => {
    const { options, said } = await createMachine({ install: [OFFLINE, OFFLINE], update: [OFFLINE] });
    await ensureBubblewrap(options);
    expect(said).toEqual([NEEDED, `apt-get could not install bubblewrap: ${OFFLINE}`]);
  });
});
