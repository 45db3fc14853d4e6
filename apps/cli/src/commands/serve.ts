/** `crewagent serve`: the local server, until somebody ends it. */
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  CrewError,
  createStoreLayout,
  defaultStoreRoot,
  findBrowser,
  openAppWindow,
  openOnDesktop,
  readWindowPort,
  type StorePaths,
  writeServerDoor,
  writeWindowPort,
} from '@crewagent/core';
import { ApiError, createApiClient } from '@crewagent/protocol/api/client';
import { type RunningServer, startServer } from '@crewagent/server';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import type { SampleRun } from '../sample-run.ts';
import { watchSignals } from '../signals.ts';
import { print, printError, sanitize, style, styleError } from '../terminal.ts';

export interface ServeCommandOptions {
  readonly port?: number;
  readonly host?: string;
  readonly tokenFile?: string;
  readonly open: boolean;
  /** Opens a window of its own instead of a tab of the browser. */
  readonly app?: boolean;
  /** A folder to run the example in, if nothing was ever run. */
  readonly sample?: string;
}

export async function serve(options: ServeCommandOptions): Promise<ExitCode> {
  const { argv, env } = hostProcess();
  const storeRoot = defaultStoreRoot(env);
  const programRoot = dirname(realpathSync(argv[1] ?? '.'));
  if (options.app && !options.open)
    throw new CrewError('USAGE', '"--app" opens a window and "--no-open" opens none; leave one of them out.');
  const store = createStoreLayout(storeRoot);
  const signals = watchSignals(() => printError('Stopping; runs can be resumed. Once more to end at once.'));
  try {
    const server = await startServer({
      storeRoot,
      env,
      host: options.host,
      port: options.port,
      preferredPort: options.app ? await readWindowPort(store) : undefined,
      tokenFile: options.tokenFile,
      webRoot: join(programRoot, 'web'),
      examplesRoot: join(programRoot, 'examples'),
      onWarning: (message) => printError(`! ${sanitize(message)}`),
      onBug: (id, error) => printError(`${styleError('red', `Internal error ${id}:`)} ${describe(error)}`),
    });
    print(
      `${server.isOurs ? 'CrewAgent runs at' : 'CrewAgent runs already at'} ${style('bold', server.url)}`,
    );
    print(style('dim', `  with its token: ${server.url}/#token=${server.token}`));
    if (server.interrupted > 0) print(`  ${server.interrupted} interrupted: crewagent runs`);
    const sample = options.sample === undefined ? undefined : await prepareSample(server, options.sample);
    if (options.open && !signals.signal.aborted) {
      const address = { ...server, url: server.url + (sample?.place ?? '') };
      const hint = options.app ? await openWindow(store, address) : await openBrowser(store, address);
      if (hint !== undefined) print(`  ${hint}`);
    }
    if (sample) await tellSample(sample, server, signals.signal);
    if (!server.isOurs) return EXIT.ok;
    if (!signals.signal.aborted) await once(signals.signal, 'abort');
    await server.stop();
    return EXIT.ok;
  } finally {
    signals.end();
  }
}

/** What to tell the person where no browser was opened. The token is in a file: everybody can see names of files in the list of processes. */
async function openBrowser(store: StorePaths, server: RunningServer): Promise<string | undefined> {
  const door = await writeServerDoor(store, server);
  return openOnDesktop(door) ? undefined : OPEN_BY_HAND;
}

/** What to tell the person where no window was opened. */
async function openWindow(store: StorePaths, server: RunningServer): Promise<string | undefined> {
  const { env } = hostProcess();
  // The browsers themselves refuse; who names one may have found a way.
  if (process.getuid?.() === 0 && !env.CREWAGENT_CHROMIUM)
    return 'Browsers do not open windows for root. Start crewagent as another user, or open the address in a browser.';
  const browser = findBrowser(env);
  if (browser === undefined)
    return 'No Chromium, Chrome or Edge was found for a window. Install one, or open the address in any browser.';
  const file = await writeServerDoor(store, server, 'electron');
  if (!openAppWindow({ browser, file, profile: store.windowProfile })) return OPEN_BY_HAND;
  await writeWindowPort(store, Number(new URL(server.url).port));
  return undefined;
}

const OPEN_BY_HAND = 'Open the address in a browser.';

/** The server is there all the same if the example cannot be run. */
async function prepareSample({ url, token }: RunningServer, folder: string): Promise<SampleRun | undefined> {
  const { beginSample } = await import('../sample-run.ts');
  try {
    return await beginSample(createApiClient({ baseUrl: url, token }), resolve(folder));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    printError(`! The example cannot be run: ${sanitize(error.message)}`);
    return undefined;
  }
}

async function tellSample(sample: SampleRun, server: RunningServer, signal: AbortSignal): Promise<void> {
  print('\nA rehearsal of the example "create-story-micro": the real engine and tools, and no model.\n');
  const phase = await sample.tell(signal);
  if (phase === undefined) return;
  const said =
    phase === 'Completed'
      ? 'Done. It wrote placeholders, because nobody thought about them yet.'
      : 'It waits for you on the page.';
  print(`
${style('green', '✓')} ${said} On the page you can look at
  every step, undo what was written, set up a model, and begin something of your own:
  ${server.url}${sample.place}#token=${server.token}
  Ctrl-C ends the server.`);
}

/** What happened in the server is for whoever reports it; a path or two is no harm on one's own terminal. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return hostProcess().env.CREWAGENT_DEBUG ? (error.stack ?? error.message) : error.message;
}
