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
import { say } from '../print/texts/say.ts';
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
  const signals = watchSignals(() => printError(say('serve.stopping')));
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
    print(`${say(server.isOurs ? 'serve.running' : 'serve.alreadyRunning')} ${style('bold', server.url)}`);
    const address = `${server.url}/#token=${server.token}`;
    print(style('dim', `  ${say('serve.token', { address })}`));
    if (server.interrupted > 0) print(`  ${say('serve.interrupted', { count: server.interrupted })}`);
    const sample = options.sample === undefined ? undefined : await prepareSample(server, options.sample);
    if (options.open && !signals.signal.aborted) {
      const page = { ...server, url: server.url + (sample?.path ?? '') };
      const hint = options.app ? await openWindow(storeRoot, page) : await openBrowser(storeRoot, page);
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
    onBug: (id, error) => printError(`${styleError('red', say('serve.bug', { id }))} ${describe(error)}`),
    ...options,
  });
}

/**
 * Returns a hint for the user if no browser was opened. The token is passed in a file, because other users can see
 * command-line arguments in the process list.
 */
export async function openBrowser(storeRoot: string, server: RunningServer): Promise<string | undefined> {
  const door = await writeServerDoor(storeRoot, server);
  return openOnDesktop(door) ? undefined : say('serve.openByHand');
}

/** Returns a hint for the user if no window was opened. */
async function openWindow(storeRoot: string, server: RunningServer): Promise<string | undefined> {
  const { env } = hostProcess();
  // Browsers refuse to run as root; a browser given explicitly may be set up to allow it.
  if (process.getuid?.() === 0 && !env.CREWAGENT_CHROMIUM) return say('serve.root');
  const browser = findBrowser(env);
  if (browser === undefined) return say('serve.noBrowser');
  const file = await writeServerDoor(storeRoot, server, 'electron');
  if (!openAppWindow({ browser, file, profile: appFilesOf(storeRoot).windowProfile }))
    return say('serve.openByHand');
  await writeWindowPort(storeRoot, Number(new URL(server.url).port));
  return undefined;
}

/** The server starts even if the example cannot be run. */
async function prepareSample({ url, token }: RunningServer, folder: string): Promise<SampleRun | undefined> {
  const { startSample } = await import('../sample-run.ts');
  try {
    const language = userLanguage();
    return await startSample(createApiClient({ baseUrl: url, token }), resolve(folder), language);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    printError(`! ${say('sample.failed', { message: sanitize(error.message) })}`);
    return undefined;
  }
}

async function followSample(sample: SampleRun, server: RunningServer, signal: AbortSignal): Promise<void> {
  print(`\n${say('sample.begins', { example: sample.example })}\n`);
  const status = await sample.follow(signal);
  if (status === undefined) return;
  const outcome = say(status.isCompleted ? 'sample.completed' : 'sample.waits');
  print(`
${style('green', '✓')} ${outcome} ${say('sample.next')}
  ${server.url}${sample.path}#token=${server.token}
  ${say('sample.stop')}`);
}

/** Details may contain paths, which is acceptable on the user's own terminal. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return hostProcess().env.CREWAGENT_DEBUG ? (error.stack ?? error.message) : error.message;
}
