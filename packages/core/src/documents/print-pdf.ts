/** Prints an HTML page as a PDF with a browser of this machine: Chromium, Chrome or Edge, without a window. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { CrewError } from '../base/crew-error.ts';
import { withDiskErrors } from '../base/errno.ts';
import { createTempFolder } from '../base/temp-folder.ts';

const MAX_MS = 60_000;

export async function printPdf(html: string, env: NodeJS.ProcessEnv = process.env): Promise<Buffer> {
  const browser = findBrowser(env);
  if (browser === undefined)
    throw new CrewError(
      'USAGE',
      'A PDF needs Chromium, Chrome or Edge, and none was found. Install one, set CREWAGENT_BROWSER to its path, or export HTML and print it.',
    );
  const folder = await createTempFolder('crewagent-pdf-');
  try {
    const [page, pdf] = [join(folder, 'page.html'), join(folder, 'page.pdf')];
    await withDiskErrors(`Could not write "${page}"`, () => writeFile(page, html));
    await promisify(execFile)(browser, [...toArguments(folder, pdf), pathToFileURL(page).href], {
      timeout: MAX_MS,
      killSignal: 'SIGKILL',
    }).catch((error: Error) => {
      throw new CrewError(
        'COMMAND_FAILED',
        `"${browser}" could not print the page. Export HTML and print it in a browser.`,
        { cause: error },
      );
    });
    return await readFile(pdf);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The page has no scripts and loads nothing, so that the sandbox, which root cannot have, protects nothing here. */
function toArguments(folder: string, pdf: string): readonly string[] {
  return [
    '--headless',
    '--disable-gpu',
    '--no-first-run',
    '--disable-extensions',
    '--disable-background-networking',
    `--user-data-dir=${join(folder, 'profile')}`,
    '--no-pdf-header-footer',
    `--print-to-pdf=${pdf}`,
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ];
}

const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'msedge',
  'microsoft-edge',
  'chromium-headless-shell',
  'chrome-headless-shell',
];

/** Checked if none is on the PATH. */
const USUAL_PATHS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

function findBrowser({ CREWAGENT_BROWSER: chosen, PATH = '' }: NodeJS.ProcessEnv): string | undefined {
  if (chosen) return chosen;
  const extension = process.platform === 'win32' ? '.exe' : '';
  const folders = PATH.split(delimiter).filter(Boolean);
  const onPath = folders.flatMap((folder) => NAMES.map((name) => join(folder, name + extension)));
  return [...onPath, ...(PATH === '' ? [] : USUAL_PATHS)].find((path) => existsSync(path));
}
