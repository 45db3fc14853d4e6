/**
 * Runs the person's own git, with their access to private repositories, without hooks, prompts and submodules, within limits of
 * time and size.
 */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { toPlainText } from '@crewagent/protocol/plain-text';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf } from '../base/errno.ts';
import { startProcessTree } from '../processes/process-tree.ts';
import { GIT_PROTOCOLS, type GitAddress } from './git-address.ts';

export interface GitLimits {
  readonly seconds: number;
  readonly bytes: number;
  readonly files: number;
}

/** Of one operation. */
export const GIT_LIMITS: GitLimits = { seconds: 300, bytes: 256 * 1_048_576, files: 20_000 };

export interface GitOptions {
  readonly signal?: AbortSignal | undefined;
  readonly limits?: GitLimits;
  /** Says where a policy is. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Instead of the person's access. Only for an address with https. */
  readonly credentials?: GitCredentials | undefined;
}

/** Sent to the host of the address only, and stored nowhere. */
export interface GitCredentials {
  readonly user: string;
  readonly password: string;
}

/** The repository does not have what was asked for. */
export class MissingRef extends CrewError {}

export interface GitRun extends GitOptions {
  readonly cwd: string;
  readonly limits: GitLimits;
  readonly address: GitAddress;
  readonly input?: AsyncIterable<Uint8Array>;
}

/** Overrides the person's settings, and whatever the repository brings. */
const SETTINGS = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.askPass', ''],
  ['credential.interactive', 'never'],
  ['submodule.recurse', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['advice.detachedHead', 'false'],
].flatMap(([key, value]) => ['-c', `${key}=${value}`]);

const ENV = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ALLOW_PROTOCOL: GIT_PROTOCOLS.join(':'),
  // Large files of git-lfs stay pointers.
  GIT_LFS_SKIP_SMUDGE: '1',
  // Messages are compared with texts below.
  LC_ALL: 'C',
};

/** What git needs to reach repositories of this person. */
const INHERITED =
  'SSH_AUTH_SOCK XDG_CONFIG_HOME HTTPS_PROXY https_proxy ALL_PROXY all_proxy NO_PROXY no_proxy SSL_CERT_FILE SSL_CERT_DIR GIT_SSL_CAINFO'.split(
    ' ',
  );

const MAX_OUTPUT = 8 * 1_048_576;

export async function runGit(args: readonly string[], run: GitRun): Promise<string> {
  const { cwd, signal, limits, address } = run;
  const tree = startProcessTree({
    command: 'git',
    args: [...SETTINGS, ...args],
    env: { ...ENV, ...credentialsEnv(run) },
    inheritEnv: INHERITED,
    cwd,
  });
  let stopped: CrewError | undefined;
  const stop = (error: CrewError): void => {
    stopped ??= error;
    void tree.kill();
  };
  const output: Record<'out' | 'err', string> = { out: '', err: '' };
  const collect = (into: 'out' | 'err') => (chunk: string) => {
    output[into] += chunk;
    if (output[into].length > MAX_OUTPUT) stop(tooLarge(limits));
  };
  tree.stdout.setEncoding('utf8').on('data', collect('out'));
  tree.stderr.setEncoding('utf8').on('data', collect('err'));
  const onAbort = (): void => stop(new CrewError('USAGE', 'Stopped; nothing was imported.'));
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  const slow = setTimeout(() => stop(tooSlow(address, limits)), limits.seconds * 1_000);
  const watch = watchSize(cwd, limits, stop);
  // A git that has ended reads no more; why it ended is what counts.
  const input = pipeline(run.input ?? [], tree.stdin).catch((error: unknown) =>
    errnoOf(error) === undefined && run.input ? stop(error as CrewError) : undefined,
  );
  try {
    const { code, error } = await tree.ended;
    await input;
    if (stopped) throw stopped;
    if (error !== undefined || code === 127) throw noGit();
    if (code !== 0) throw toError(output.err, address);
    return output.out;
  } finally {
    clearTimeout(slow);
    clearInterval(watch);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** In the environment, which other users cannot read, and not in the arguments, which they can. */
function credentialsEnv({ credentials, address: { url } }: GitRun): Record<string, string> {
  if (!credentials) return {};
  if (!url.startsWith('https://'))
    throw new CrewError(
      'USAGE',
      'A password or token for git can only be used with an address that starts with https://.',
    );
  const { user, password } = credentials;
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${new URL(url).origin}/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
  };
}

const WATCH_MS = 250;

/** A server can send any amount: what has arrived is measured while it arrives. */
function watchSize(cwd: string, limits: GitLimits, stop: (error: CrewError) => void): NodeJS.Timeout {
  const packs = join(cwd, '.git', 'objects', 'pack');
  return setInterval(() => {
    void folderSize(packs).then((bytes) => bytes > limits.bytes && stop(tooLarge(limits)));
  }, WATCH_MS);
}

async function folderSize(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      lstat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

export function tooLarge({ bytes, files }: GitLimits): CrewError {
  return new CrewError(
    'USAGE',
    `The repository is too large to import: at most ${Math.round(bytes / 1_048_576)} MiB and ${files} files are fetched. Clone it yourself and import the folder you need.`,
  );
}

function tooSlow({ url }: GitAddress, { seconds }: GitLimits): CrewError {
  return new CrewError(
    'USAGE',
    `Fetching ${toShownText(url)} took longer than ${seconds} seconds. Try again, or clone it yourself and import the folder.`,
  );
}

function noGit(): CrewError {
  return new CrewError(
    'USAGE',
    'git was not found on this machine. Install it, or download the repository as a zip and import that.',
  );
}

const NO_REF = /could(?:n't| not) find remote ref|unadvertised object|not our ref/i;

const REASONS: readonly [pattern: RegExp, sentence: (address: GitAddress) => string][] = [
  [
    /could not resolve host/i,
    ({ url }) => `The host of ${toShownText(url)} is unknown. Check the address and your network connection.`,
  ],
  [
    /authentication failed|could not read (?:username|password)|permission denied|terminal prompts disabled|access denied|invalid credentials/i,
    ({ url }) =>
      `Your git has no access to ${toShownText(url)}, or it does not exist. Sign in with git or check the address.`,
  ],
  [
    /host key verification failed/i,
    ({ url }) => `The key of the host of ${toShownText(url)} is not known yet. Connect to it once with ssh.`,
  ],
  [
    /connection (?:refused|timed out|reset)|failed to connect|could not connect|no route to host|unable to connect/i,
    ({ url }) => `${toShownText(url)} could not be reached. Check your network connection.`,
  ],
  [
    /not found|does not exist|does not appear to be a git repository|no such file/i,
    ({ url }) => `There is no git repository at ${toShownText(url)}. Check the address.`,
  ],
];

function toError(err: string, address: GitAddress): CrewError {
  if (NO_REF.test(err))
    return new MissingRef(
      'USAGE',
      `${toShownText(address.url)} has no tag, branch or commit "${toShownText(address.ref ?? 'HEAD')}". Check its name.`,
    );
  const [, sentence] = REASONS.find(([pattern]) => pattern.test(err)) ?? [];
  const last = err.split('\n').findLast((line) => /^(?:fatal|error):/.test(line)) ?? 'no reason given';
  return new CrewError(
    'USAGE',
    sentence?.(address) ??
      `git failed with ${toShownText(address.url)}: ${toShownText(last.replace(/^(?:fatal|error): /, ''))}`,
  );
}

/** What others wrote, such as an address, in a sentence of ours. */
export function toShownText(text: string): string {
  return toPlainText(text).slice(0, 200);
}
