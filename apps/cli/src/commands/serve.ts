/** `crewagent serve`: runs the local server until it is stopped. */
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  appFilesOf,
  CrewError,
  defaultStoreRoot,
  findBrowser,
  findUserLanguage,
  openAppWindow,
  openOnDesktop,
  readWindowPort,
  writeServerDoor,
  writeWindowPort,
} from '@crewagent/core';
import { ApiError, createApiClient } from '@crewagent/protocol/api/client';
import { type RunningServer, type ServeOptions, startServer } from '@crewagent/server';
import { validationContext } from '../context.ts';
import { hostProcess } from '../host-process.ts';
import { optimizeLater } from '../limit-memory.ts';
import type { SampleRun } from '../sample-run.ts';
import { watchSignals } from '../signals.ts';
import { print, printError, sanitize, style, styleError } from '../terminal.ts';
import { userLanguage } from '../user-language.ts';

export interface ServeCommandOptions {
  readonly port?: number;
  readonly host?: string;
  readonly tokenFile?: string;
  readonly newToken?: boolean;
  readonly open: boolean;
  /** Opens an app window instead of a browser tab. */
  readonly app?: boolean;
  /** Serves a team. */
  readonly team?: boolean;
  readonly databaseUrl?: string;
  readonly publicUrl?: string;
  readonly proxies?: number;
  readonly log?: 'text' | 'json';
  /** A folder to run the example in, if there are no runs yet. */
  readonly sample?: string;
}

export async function serve(options: ServeCommandOptions): Promise<void> {
  if (options.team || options.databaseUrl !== undefined)
    return (await import('./team.ts')).serveTeam(options);
  const storeRoot = defaultStoreRoot(hostProcess().env);
  if (options.app && !options.open)
    throw new CrewError('USAGE', '--app and --no-open cannot be combined. Leave one of them out.');
  const signals = watchSignals(() =>
    printError('Stopping. Runs can be resumed. Press Ctrl-C again to exit at once.'),
  );
  // Not in a process that several commands share.
  if (hostProcess() === process) await optimizeLater();
  try {
    const server = await startLocalServer({
      host: options.host,
      port: options.port,
      preferredPort: options.app ? await readWindowPort(storeRoot) : undefined,
      tokenFile: options.tokenFile,
      isNewToken: options.newToken,
    });
    print(
      `${server.isOurs ? 'CrewAgent is running at' : 'CrewAgent is already running at'} ${style('bold', server.url)}`,
    );
    print(style('dim', `  with the token: ${server.url}/#token=${server.token}`));
    if (server.interrupted > 0) print(`  ${server.interrupted} interrupted, listed by: crewagent runs`);
    const sample = options.sample === undefined ? undefined : await prepareSample(server, options.sample);
    if (options.open && !signals.signal.aborted) {
      const address = { ...server, url: server.url + (sample?.path ?? '') };
      const hint = options.app ? await openWindow(storeRoot, address) : await openBrowser(storeRoot, address);
      if (hint !== undefined) print(`  ${hint}`);
    }
    if (sample) await followSample(sample, server, signals.signal);
    if (!server.isOurs) return;
    if (!signals.signal.aborted) await once(signals.signal, 'abort');
    await server.stop();
    return;
  } finally {
    signals.end();
  }
}

/** The server of this user's store with the page beside the program; the running one if there is one. */
export function startLocalServer(options: Partial<ServeOptions> = {}): Promise<RunningServer> {
  const { argv, env } = hostProcess();
  const programRoot = dirname(realpathSync(argv[1] ?? '.'));
  return startServer({
    storeRoot: defaultStoreRoot(env),
    env,
    webRoot: join(programRoot, 'web'),
    examplesRoot: join(programRoot, 'examples'),
    threadFile: join(programRoot, 'work-thread.js'),
    openDoor: async (runtime) => {
      const { createHttpDoor } = await import('@crewagent/doors/mcp-server');
      const examplesRoot = join(programRoot, 'examples');
      const language = findUserLanguage(env);
      return createHttpDoor({ runtime, context: validationContext, examplesRoot, language });
    },
    onWarning: (message) => printError(`! ${sanitize(message)}`),
    onBug: (id, error) => printError(`${styleError('red', `Internal error ${id}:`)} ${describe(error)}`),
    ...options,
  });
}

/**
 * Returns a hint for the user if no browser was opened. The token is passed in a file, because other users can see
 * command-line arguments in the process list.
 */
export async function openBrowser(storeRoot: string, server: RunningServer): Promise<string | undefined> {
  const door = await writeServerDoor(storeRoot, server);
  return openOnDesktop(door) ? undefined : OPEN_BY_HAND;
}

/** Returns a hint for the user if no window was opened. */
async function openWindow(storeRoot: string, server: RunningServer): Promise<string | undefined> {
  const { env } = hostProcess();
  // Browsers refuse to run as root; a browser given explicitly may be set up to allow it.
  if (process.getuid?.() === 0 && !env.CREWAGENT_CHROMIUM)
    return 'Browsers do not run as root. Start crewagent as another user, or open the address in a browser.';
  const browser = findBrowser(env);
  if (browser === undefined)
    return 'No Chromium, Chrome or Edge was found. Install one, or open the address in any browser.';
  const file = await writeServerDoor(storeRoot, server, 'electron');
  if (!openAppWindow({ browser, file, profile: appFilesOf(storeRoot).windowProfile })) return OPEN_BY_HAND;
  await writeWindowPort(storeRoot, Number(new URL(server.url).port));
  return undefined;
}

const OPEN_BY_HAND = 'Open the address in a browser.';

/** The server starts even if the example cannot be run. */
async function prepareSample({ url, token }: RunningServer, folder: string): Promise<SampleRun | undefined> {
  const { startSample } = await import('../sample-run.ts');
  try {
    const language = userLanguage();
    return await startSample(createApiClient({ baseUrl: url, token }), resolve(folder), language);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    printError(`! The example cannot be run: ${sanitize(error.message)}`);
    return undefined;
  }
}

async function followSample(sample: SampleRun, server: RunningServer, signal: AbortSignal): Promise<void> {
  print(`\nRehearsing the example "${sample.example}": the real engine and tools, without a model.\n`);
  const status = await sample.follow(signal);
  if (status === undefined) return;
  const summary = status.isCompleted
    ? 'Completed. The files contain placeholders, because no model was used.'
    : 'The run is waiting for you on the page.';
  print(`
${style('green', '✓')} ${summary} On the page you can inspect
  every step, undo the changes, set up a model, and start your own work:
  ${server.url}${sample.path}#token=${server.token}
  Press Ctrl-C to stop the server.`);
}

/** Details may contain paths, which is acceptable on the user's own terminal. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return hostProcess().env.CREWAGENT_DEBUG ? (error.stack ?? error.message) : error.message;
}
