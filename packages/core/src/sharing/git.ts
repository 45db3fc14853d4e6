/**
 * Reads repositories with the person's own git, and with their access to private ones. It runs without hooks, prompts and
 * submodules, within limits of time and size; a repository is checked out only once its size is known.
 */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { toPlainText } from '@crewagent/protocol/plain-text';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf } from '../base/errno.ts';
import { startProcessTree } from '../processes/process-tree.ts';
import { requireAddress } from './fetch-bytes.ts';
import { GIT_PROTOCOLS, type GitAddress } from './git-address.ts';

export interface GitLimits {
  readonly seconds: number;
  readonly bytes: number;
  readonly files: number;
}

const LIMITS: GitLimits = { seconds: 300, bytes: 256 * 1_048_576, files: 20_000 };

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

/** Fetches one commit into an empty folder, without history, and returns its id. */
export async function fetchRepository(
  { url, ref }: GitAddress,
  folder: string,
  options: GitOptions = {},
): Promise<string> {
  const { limits = LIMITS } = options;
  const host = toGitHost(url);
  if (host) await requireAddress(host, options.env);
  const inFolder = { ...options, cwd: folder, limits, address: { url, ref } };
  await fetchCommit(inFolder);
  requireSize(await runGit(['ls-tree', '-r', '-l', '-z', 'FETCH_HEAD'], inFolder), limits);
  await runGit(['checkout', '--quiet', '--detach', 'FETCH_HEAD'], inFolder);
  return (await runGit(['rev-parse', 'HEAD'], inFolder)).trim();
}

/** Undefined for a repository of this machine. */
function toGitHost(url: string): URL | undefined {
  const [, host] = /^[\w.-]+@([\w.-]+):/.exec(url) ?? [];
  const text = host === undefined ? url : `ssh://${host}`;
  const address = URL.canParse(text) ? new URL(text) : undefined;
  return address?.host ? address : undefined;
}

/** Without checking it out: it is `FETCH_HEAD`. */
async function fetchCommit(run: GitRun): Promise<void> {
  const { url, ref } = run.address;
  await runGit(['init', '--quiet', '--template=', '.'], run);
  const fetchRef = (name: string): Promise<string> =>
    runGit(['fetch', '--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--', url, name], run);
  try {
    await fetchRef(ref ?? 'HEAD');
  } catch (error) {
    if (ref !== undefined || !(error instanceof MissingRef)) throw error;
    await fetchRef(await findBranch(run));
  }
}

/**
 * The branch of a repository whose `HEAD` names one that does not exist, such as a bare one that was created with another name for
 * its first branch: `main`, else the only one.
 */
async function findBranch(run: GitRun): Promise<string> {
  const shownUrl = shown(run.address.url);
  const refs = [...(await listRefs(run.address, run)).keys()];
  const branches = refs.filter((name) => name.startsWith(BRANCHES));
  if (branches.length === 0) throw new CrewError('USAGE', `${shownUrl} has no commits.`);
  const only = branches.length === 1 ? branches[0] : undefined;
  const found = branches.includes(`${BRANCHES}main`) ? `${BRANCHES}main` : only;
  if (found !== undefined) return found;
  const names = branches.slice(0, 5).map((name) => shown(name.slice(BRANCHES.length)));
  throw new CrewError(
    'USAGE',
    `${shownUrl} has no default branch. Add one to the address, such as #${names.join(' or #')}.`,
  );
}

const BRANCHES = 'refs/heads/';

/** The repository does not have what was asked for. */
class MissingRef extends CrewError {}

/**
 * Adds commits to one of the repository and pushes them as a branch; returns the last one. `folder` is empty. `commits`: a stream of
 * `git fast-import` for `refs/heads/` and the name of the branch.
 */
export async function pushCommits(
  { url, base, branch }: { readonly url: string; readonly base: string; readonly branch: string },
  folder: string,
  { commits, ...options }: GitOptions & { readonly commits: AsyncIterable<Uint8Array> },
): Promise<string> {
  const run = { limits: LIMITS, ...options, cwd: folder, address: { url, ref: base } };
  const ref = `refs/heads/${branch}`;
  await fetchCommit(run);
  await runGit(['fast-import', '--quiet', '--done'], { ...run, input: commits });
  await runGit(['push', '--quiet', '--no-verify', '--', url, `${ref}:${ref}`], run);
  return (await runGit(['rev-parse', ref], run)).trim();
}

export interface PublishedCommit {
  readonly url: string;
  readonly branch: string;
  readonly tag: string;
  /** The branch does not exist yet. */
  readonly isNew: boolean;
  readonly message: string;
  readonly files: ReadonlyMap<string, Buffer>;
}

/** Pushes a commit with exactly these files, and its tag, both or none. `folder` is empty. Replaces no files that are not a package. */
export async function publishCommit(
  { url, branch, tag, isNew, message, files }: PublishedCommit,
  folder: string,
  options: GitOptions = {},
): Promise<void> {
  const run = { limits: LIMITS, ...options, cwd: folder, address: { url, ref: branch } };
  if (isNew) await runGit(['init', '--quiet', '--template=', '.'], run);
  else await fetchCommit(run);
  const parent = isNew ? undefined : (await runGit(['rev-parse', 'FETCH_HEAD'], run)).trim();
  const listed = isNew
    ? 'bmad.json'
    : await runGit(['ls-tree', '--name-only', 'FETCH_HEAD', 'bmad.json'], run);
  if (!listed.includes('bmad.json'))
    throw new CrewError(
      'USAGE',
      `The branch "${branch}" of ${shown(url)} has other files than a package, which would be replaced. Choose another branch: #BRANCH.`,
    );
  // Without a name in the settings of git.
  const nobody = `CrewAgent <crewagent@localhost> ${Math.floor(Date.now() / 1_000)} +0000`;
  const who = await runGit(['var', 'GIT_COMMITTER_IDENT'], run).catch(() => nobody);
  const ref = `refs/heads/${branch}`;
  const commit = toCommit({ ref, who: who.trim(), message, parent, files });
  await runGit(['fast-import', '--quiet', '--done'], { ...run, input: Readable.from(commit) });
  const target = `${ref}:refs/tags/${tag}`;
  await runGit(['push', '--quiet', '--no-verify', '--atomic', '--', url, `${ref}:${ref}`, target], run);
}

interface NewCommit extends Pick<PublishedCommit, 'message' | 'files'> {
  readonly ref: string;
  readonly who: string;
  readonly parent: string | undefined;
}

function* toCommit({ ref, who, message, parent, files }: NewCommit): Generator<Buffer> {
  const text = (value: string): Buffer => Buffer.from(value);
  yield text(`commit ${ref}\ncommitter ${who}\ndata ${Buffer.byteLength(message)}\n${message}\n`);
  if (parent !== undefined) yield text(`from ${parent}\n`);
  yield text('deleteall\n');
  for (const [path, content] of files) {
    // Names of a package have no control characters; a quote would begin a quoted name.
    yield text(`M 100644 inline ${JSON.stringify(path)}\ndata ${content.length}\n`);
    yield content;
    yield text('\n');
  }
  yield text('done\n');
}

/** By name, such as `HEAD`, `refs/heads/main`, `refs/tags/v1.0.0`: the id of the commit. */
export async function listRefs(
  address: GitAddress,
  options: GitOptions & { readonly cwd: string },
): Promise<ReadonlyMap<string, string>> {
  const { limits = { ...LIMITS, seconds: 60 } } = options;
  const listed = await runGit(['ls-remote', '--quiet', '--', address.url], { ...options, limits, address });
  const refs = new Map<string, string>();
  for (const line of listed.split('\n')) {
    const [commit = '', name = ''] = line.split('\t');
    // An annotated tag is listed twice; the second time with its commit.
    if (name !== '') refs.set(name.replace(/\^\{\}$/, ''), commit);
  }
  return refs;
}

/** Runs git in a folder of this machine, with the same settings as for other repositories. */
export function runLocalGit(folder: string, args: readonly string[]): Promise<string> {
  const limits = {
    seconds: LIMITS.seconds,
    bytes: Number.POSITIVE_INFINITY,
    files: Number.POSITIVE_INFINITY,
  };
  return runGit(args, { cwd: folder, limits, address: { url: folder, ref: undefined } });
}

interface GitRun extends GitOptions {
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

async function runGit(args: readonly string[], run: GitRun): Promise<string> {
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

/** `mode type id size\tpath` with a zero byte after each entry; the size of a submodule is `-`. */
function requireSize(listed: string, limits: GitLimits): void {
  const entries = listed.split('\0').filter(Boolean);
  const bytes = entries.reduce(
    (sum, entry) => sum + (Number(/^\S+ \S+ \S+ +(\d+)\t/.exec(entry)?.[1]) || 0),
    0,
  );
  if (entries.length > limits.files || bytes > limits.bytes) throw tooLarge(limits);
}

function tooLarge({ bytes, files }: GitLimits): CrewError {
  return new CrewError(
    'USAGE',
    `The repository is too large to import: at most ${Math.round(bytes / 1_048_576)} MiB and ${files} files are fetched. Clone it yourself and import the folder you need.`,
  );
}

function tooSlow({ url }: GitAddress, { seconds }: GitLimits): CrewError {
  return new CrewError(
    'USAGE',
    `Fetching ${shown(url)} took longer than ${seconds} seconds. Try again, or clone it yourself and import the folder.`,
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
    ({ url }) => `The host of ${shown(url)} is unknown. Check the address and your network connection.`,
  ],
  [
    /authentication failed|could not read (?:username|password)|permission denied|terminal prompts disabled|access denied|invalid credentials/i,
    ({ url }) =>
      `Your git has no access to ${shown(url)}, or it does not exist. Sign in with git or check the address.`,
  ],
  [
    /host key verification failed/i,
    ({ url }) => `The key of the host of ${shown(url)} is not known yet. Connect to it once with ssh.`,
  ],
  [
    /connection (?:refused|timed out|reset)|failed to connect|could not connect|no route to host|unable to connect/i,
    ({ url }) => `${shown(url)} could not be reached. Check your network connection.`,
  ],
  [
    /not found|does not exist|does not appear to be a git repository|no such file/i,
    ({ url }) => `There is no git repository at ${shown(url)}. Check the address.`,
  ],
];

function toError(err: string, address: GitAddress): CrewError {
  if (NO_REF.test(err))
    return new MissingRef(
      'USAGE',
      `${shown(address.url)} has no tag, branch or commit "${shown(address.ref ?? 'HEAD')}". Check its name.`,
    );
  const [, sentence] = REASONS.find(([pattern]) => pattern.test(err)) ?? [];
  const last = err.split('\n').findLast((line) => /^(?:fatal|error):/.test(line)) ?? 'no reason given';
  return new CrewError(
    'USAGE',
    sentence?.(address) ??
      `git failed with ${shown(address.url)}: ${shown(last.replace(/^(?:fatal|error): /, ''))}`,
  );
}

function shown(text: string): string {
  return toPlainText(text).slice(0, 200);
}
