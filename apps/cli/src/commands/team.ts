/** `crewagent worker`, `crewagent team` and `crewagent serve --database-url`: the team edition. */
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { CrewError, defaultStoreRoot, makeFolders } from '@crewagent/core';
import type { RunningWorker, TeamServer } from '@crewagent/team';
import { hostProcess } from '../host-process.ts';
import { watchSignals } from '../signals.ts';
import { print, sanitize, style } from '../terminal.ts';
import { createServiceLog, type LogFormat, type ServiceLog } from './service-log.ts';

/** Loaded with the first command of a team. */
export const loadTeam = () => import('@crewagent/team');

export interface DatabaseOption {
  readonly databaseUrl?: string;
}

interface LogOption {
  readonly log?: LogFormat;
}

export interface TeamServeOptions extends DatabaseOption, LogOption {
  readonly host?: string;
  readonly port?: number;
  readonly publicUrl?: string;
  readonly proxies?: number;
}

export async function serveTeam(options: TeamServeOptions): Promise<void> {
  const { loadKeys, startTeamServer } = await loadTeam();
  const { env } = hostProcess();
  const [databaseUrl, keys] = [requireDatabase(options), await loadKeys(env)];
  const log = createServiceLog(options.log, databaseUrl);
  const start = () => startTeamServer({ ...options, databaseUrl, ...places(), keys, env, ...log });
  await untilStopped('Stopping.', start, {
    log,
    say: ({ url }: TeamServer) =>
      log.info('The team is served.', { url }, `The team is served at ${style('bold', url)}`),
  });
}

export async function runWorker(
  options: DatabaseOption & LogOption & { readonly slots?: number; readonly labels?: readonly string[] },
): Promise<void> {
  const { loadKeys, startWorker } = await loadTeam();
  const { env } = hostProcess();
  const [databaseUrl, keys] = [requireDatabase(options), await loadKeys(env)];
  const log = createServiceLog(options.log, databaseUrl);
  const onAdvance = (rootId: string, ms: number | undefined): void =>
    log.info(ms === undefined ? 'Took a Work.' : 'Put a Work down.', { workId: rootId, ms });
  await untilStopped(
    'Stopping. Other workers go on with the runs. Press Ctrl-C again to exit at once.',
    () => startWorker({ ...options, databaseUrl, ...places(), keys, env, ...log, onAdvance }),
    {
      log,
      say: ({ workerId }: RunningWorker) =>
        log.info('The worker is ready.', { workerId }, `Worker ${style('bold', workerId)} is ready.`),
    },
  );
}

export interface InitOptions extends DatabaseOption {
  readonly email?: string;
  readonly name?: string;
  readonly publicUrl?: string;
  readonly files?: string;
}

export async function initTeam(options: InitOptions): Promise<void> {
  const { initTeam: init, writeDeployment } = await loadTeam();
  const { email, name, publicUrl } = options;
  const { link } = await init(requireDatabase(options), { email, name, publicUrl });
  print('The database is ready.');
  if (link !== undefined) {
    print(`The first administrator signs in once with this link, within a day:`);
    print(`  ${style('bold', link)}`);
  }
  if (options.files !== undefined)
    for (const file of await writeDeployment(resolve(options.files), { publicUrl }))
      print(`Written: ${sanitize(file)}`);
}

export async function rotateKeys(options: DatabaseOption): Promise<void> {
  const { loadKeys, rotateKeys: rotate } = await loadTeam();
  const count = await rotate(requireDatabase(options), await loadKeys(hostProcess().env));
  print(
    count === 0
      ? 'All secrets have the current key already.'
      : `Encrypted with the current key: the secrets of ${count} ${count === 1 ? 'place' : 'places'}. The old key can go.`,
  );
}

/** Everything on this machine, with a database in the folder of the store. */
export async function devTeam(options: { readonly port?: number; readonly slots?: number }): Promise<void> {
  const { initTeam: init, parseKeys, startLocalPostgres, startTeamServer, startWorker } = await loadTeam();
  const { env } = hostProcess();
  const folder = await makeDevFolder(defaultStoreRoot(env));
  const keys = parseKeys(await readKey(join(folder, 'secret-key')));
  print('Starting PostgreSQL…');
  const postgres = await startLocalPostgres({ folder: join(folder, 'postgres') });
  try {
    const databaseUrl = postgres.url;
    const log = createServiceLog();
    const common = { databaseUrl, ...places(), keys, env, ...log };
    await untilStopped(
      'Stopping. Runs can be resumed.',
      async () => {
        await init(databaseUrl, {});
        const server = await startTeamServer({ ...common, port: options.port });
        const worker = await startWorker({ ...common, slots: options.slots });
        const { link } = await init(databaseUrl, {
          email: 'you@localhost',
          name: 'You',
          publicUrl: server.url,
        });
        return {
          link,
          url: server.url,
          async stop() {
            await server.stop();
            await worker.stop();
          },
        };
      },
      {
        log,
        say({ url, link }) {
          print(`The team is served at ${style('bold', url)}`);
          if (link !== undefined) print(`  Sign in with: ${style('bold', link)}`);
          print(style('dim', '  Press Ctrl-C to stop.'));
        },
      },
    );
  } finally {
    await postgres.stop();
  }
}

/** PostgreSQL refuses to run as root, and another user must reach its files. */
async function makeDevFolder(storeRoot: string): Promise<string> {
  const isRoot = process.getuid?.() === 0;
  const folder = isRoot ? '/var/lib/crewagent/team-dev' : join(storeRoot, 'team-dev');
  makeFolders(folder, isRoot ? 0o711 : 0o700);
  return folder;
}

/** Runs until the first signal. */
async function untilStopped<Running extends { stop(): Promise<void> }>(
  farewell: string,
  start: () => Promise<Running>,
  { log, say }: { readonly log: ServiceLog; say(running: Running): void },
): Promise<void> {
  const signals = watchSignals(() => log.stopping(farewell));
  try {
    const running = await start();
    say(running);
    if (!signals.signal.aborted) await once(signals.signal, 'abort');
    await running.stop();
  } finally {
    signals.end();
  }
}

/** The password stays out of the list of processes if it is given by the environment. */
export function requireDatabase({
  databaseUrl = hostProcess().env.CREWAGENT_DATABASE_URL,
}: DatabaseOption): string {
  if (databaseUrl) return databaseUrl;
  throw new CrewError('USAGE', 'Give the database with --database-url, or set CREWAGENT_DATABASE_URL.');
}

function places() {
  const { argv, env } = hostProcess();
  const programRoot = dirname(realpathSync(argv[1] ?? '.'));
  return {
    scratch: env.CREWAGENT_SCRATCH ?? join(tmpdir(), `crewagent-team-${process.getuid?.() ?? 0}`),
    webRoot: join(programRoot, 'web'),
    examplesRoot: join(programRoot, 'examples'),
  };
}

/** Of a team that is tried on this machine. */
async function readKey(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    const { randomBytes } = await import('node:crypto');
    const key = randomBytes(32).toString('base64');
    await writeFile(file, key, { mode: 0o600 });
    return key;
  }
}
