/**
 * The whole product for one test: the built server in a separate process with an empty store, a home folder with a
 * project, and Chromium. Errors of all pages are collected; a test checks them at the end.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type ApiClient, createApiClient } from '@crewagent/protocol/api/client';
import type {
  BrowserContext,
  BrowserContextOptions,
  Download,
  Locator,
  Page,
  ViewportSize,
} from 'playwright-core';
import { findChromium } from '../scripts/find-chromium.mjs';
import { type UsedContext, useContext } from './browser-contexts.ts';

/** Tests and benches run from the repository root. */
export const ROOT = process.cwd();
export const hasChromium = findChromium() !== undefined;

export interface WholePage {
  /** Folder of this test; deleted at the end. */
  readonly folder: string;
  /** An empty project folder, `larder` in the home folder. */
  readonly project: string;
  /** Address with the token in its fragment; changes after a restart. */
  readonly address: () => string;
  /** API client for the preparation of a test. */
  readonly api: () => ApiClient;
  /** Opens a page with its own storage, which is closed with the test; `path` such as `/settings`. */
  readonly open: (options?: OpenOptions) => Promise<Page>;
  /** Console errors, exceptions, and requests to other servers, of all pages. */
  readonly complaints: string[];
  /** Console errors and blocked requests of documents inside preview frames. */
  readonly previewRefusals: string[];
  /** Stops the server's process without ending it, until `thaw`. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** `kill -9`, then a restart with the same store and port, with additional arguments for `serve`. */
  readonly killAndRestart: (...more: readonly string[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface OpenOptions extends Omit<BrowserContextOptions, 'viewport'> {
  readonly path?: string;
  readonly viewport?: ViewportSize;
}

export interface WholePageOptions {
  /** Additional environment variables of the server, such as a model's address. */
  readonly env?: Readonly<Record<string, string>>;
}

export async function startWholePage({ env = {} }: WholePageOptions = {}): Promise<WholePage> {
  const folder = await mkdtemp(join(tmpdir(), 'crewagent-web-'));
  const project = join(folder, 'home/larder');
  await mkdir(project, { recursive: true });
  const contexts: UsedContext[] = [];
  let running = await startAtFreePort(folder, env);
  const complaints: string[] = [];
  const previewRefusals: string[] = [];
  const originOf = (): string => new URL(running.address).origin;
  return {
    folder,
    project,
    complaints,
    previewRefusals,
    address: () => running.address,
    api: () => {
      const { origin, hash } = new URL(running.address);
      const token = hash.replace('#token=', '');
      return createApiClient({ baseUrl: origin, token });
    },
    async open(options = {}) {
      const { path = '/', viewport = WIDE, ...others } = options;
      const used = await useContext(toContextOptions(viewport, others), originOf());
      contexts.push(used);
      const page = await openPage(used.context, { complaints, previewRefusals, originOf });
      page.once('close', () => void used.release());
      await page.setViewportSize(viewport);
      const { origin, hash } = new URL(running.address);
      await page.goto(`${origin}${path}${hash}`);
      return page;
    },
    async killAndRestart(...more) {
      const { port } = new URL(running.address);
      const ended = once(running.server, 'exit');
      running.server.kill('SIGKILL');
      await ended;
      running = await startServer(folder, env, ['--port', port, ...more]);
    },
    freeze: () => void running.server.kill('SIGSTOP'),
    thaw: () => void running.server.kill('SIGCONT'),
    async close() {
      await Promise.all(contexts.map(({ release }) => release()));
      const ended = once(running.server, 'exit');
      running.server.kill('SIGINT');
      await ended;
      freePort = new URL(running.address).port;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Running {
  readonly server: ChildProcess;
  readonly address: string;
}

/** The port of the last server that was stopped: browsers cache the page's scripts per address. */
let freePort: string | undefined;

async function startAtFreePort(folder: string, env: Readonly<Record<string, string>>): Promise<Running> {
  const port = freePort;
  freePort = undefined;
  const atAnyPort = (): Promise<Running> => startServer(folder, env, []);
  // Another program may have taken the port.
  return port === undefined ? atAnyPort() : startServer(folder, env, ['--port', port]).catch(atAnyPort);
}

async function startServer(
  folder: string,
  more: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<Running> {
  const home = join(folder, 'home');
  const env = {
    PATH: process.env.PATH,
    SystemRoot: process.env.SystemRoot,
    HOME: home,
    USERPROFILE: home,
    CREWAGENT_HOME: join(folder, 'store'),
    ...more,
  };
  const entry = join(ROOT, 'apps/cli/dist/crewagent.js');
  const server = spawn(process.execPath, [entry, 'serve', '--no-open', ...args], {
    env,
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let printed = '';
  server.stdout.setEncoding('utf8');
  const address = await new Promise<string>((resolve, reject) => {
    server.stdout.on('data', (text: string) => {
      printed += text;
      const [found] = /http:\S+#token=\S+(?=\s)/.exec(printed) ?? [];
      if (found !== undefined) resolve(found);
    });
    server.once('exit', () => reject(new Error(`The server did not start: ${printed}`)));
  });
  return { server, address };
}

const WIDE = { width: 1440, height: 900 };

/** Pages of all sizes use the same context, except on a phone. */
function toContextOptions(viewport: ViewportSize, others: BrowserContextOptions): BrowserContextOptions {
  return {
    viewport: others.isMobile ? viewport : WIDE,
    locale: 'en-GB',
    // Endless animations would keep a browser without a graphics card busy.
    reducedMotion: 'reduce',
    ...others,
  };
}

interface PageParts {
  readonly complaints: string[];
  readonly previewRefusals: string[];
  readonly originOf: () => string;
}

async function openPage(
  context: BrowserContext,
  { complaints, previewRefusals, originOf }: PageParts,
): Promise<Page> {
  const page = await context.newPage();
  const isPreview = (url: string): boolean => url.startsWith(`${originOf()}/preview/`);
  const isElsewhere = (url: string): boolean => /^https?:/.test(url) && !url.startsWith(originOf());
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    const { url } = message.location();
    // A removed frame has no address; only the policy of previews has these directives.
    const isOfPreview = isPreview(url) || (url === '' && /"(?:img|font)-src data:"/.test(message.text()));
    // Such a message does not say what was not loaded.
    const subject = message.text().startsWith('Failed to load') ? ` ${url}` : '';
    (isOfPreview ? previewRefusals : complaints).push(`${message.text()}${subject}`);
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (isElsewhere(request.url()) && !isPreview(request.frame().url()))
      complaints.push(`asked for ${request.url()}`);
  });
  // The browser reports a request of a preview before it checks the policy; a blocked request never leaves the
  // browser.
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    if (!isElsewhere(request.url()) || !isPreview(request.frame().url())) return;
    const isBlocked = reason === 'csp' || reason === 'origin';
    (isBlocked ? previewRefusals : complaints).push(`asked for ${request.url()} (${reason})`);
  });
  page.on('response', (response) => {
    if (isElsewhere(response.url())) complaints.push(`got an answer from ${response.url()}`);
  });
  return page;
}

/** Clicks a button until its target is shown: a page that is still rendering may lose a click on a busy machine. */
export async function pressUntil(button: Locator, shown: Locator): Promise<void> {
  for (let tries = 1; ; tries++) {
    await button.click();
    const isShown = await shown.waitFor({ timeout: 5_000 }).then(
      () => true,
      (error: unknown) => {
        if (tries === 3) throw error;
        return false;
      },
    );
    if (isShown) return;
  }
}

/** The suggestions for the current input: until they are loaded, Enter chooses none. */
export function foundChoices(page: Page): Locator {
  return page.locator('[role=listbox]:not([aria-busy])');
}

const axeSource = readFile(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8');

/** Issues that axe finds on the page, as text. */
export async function findIssues(page: Page): Promise<readonly string[]> {
  // Evaluated through the debugger, which the page's policy does not restrict.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(await axeSource);
  return page.evaluate(async () => {
    // Animations may start one another: colours are checked when none is running.
    for (;;) {
      const moving = document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY)
        .filter(({ playState }) => playState === 'running');
      if (moving.length === 0) break;
      await Promise.allSettled(moving.map(({ finished }) => finished));
    }
    const { axe } = globalThis as unknown as {
      axe: {
        run(
          root: Document,
          options: object,
        ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }>;
      };
    };
    const { violations } = await axe.run(document, {
      rules: { region: { enabled: false } },
      resultTypes: ['violations'],
      // Not the style sheets: only an experimental rule, which is disabled, reads them.
      preload: { assets: ['media'] },
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  });
}

/** The content of a download, which the browser may store in an inaccessible location. */
export async function readDownload(download: Download): Promise<string> {
  return text(await download.createReadStream());
}
