/**
 * Repositories that are read and published with the person's own git: one is checked out only once its size is known, and pushed
 * with its tag or not at all.
 */
import { Readable } from 'node:stream';
import { CrewError } from '../base/crew-error.ts';
import { requireAddress } from './fetch-bytes.ts';
import type { GitAddress } from './git-address.ts';
import {
  GIT_LIMITS,
  type GitLimits,
  type GitOptions,
  type GitRun,
  MissingRef,
  runGit,
  tooLarge,
  toShownText,
} from './run-git.ts';

const BRANCHES = 'refs/heads/';

/** Fetches one commit into an empty folder, without history, and returns its id. */
export async function fetchRepository(
  { url, ref }: GitAddress,
  folder: string,
  options: GitOptions = {},
): Promise<string> {
  const { limits = GIT_LIMITS } = options;
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
  const shownUrl = toShownText(run.address.url);
  const refs = [...(await listRefs(run.address, run)).keys()];
  const branches = refs.filter((name) => name.startsWith(BRANCHES));
  if (branches.length === 0) throw new CrewError('USAGE', `${shownUrl} has no commits.`);
  const only = branches.length === 1 ? branches[0] : undefined;
  const found = branches.includes(`${BRANCHES}main`) ? `${BRANCHES}main` : only;
  if (found !== undefined) return found;
  const names = branches.slice(0, 5).map((name) => toShownText(name.slice(BRANCHES.length)));
  throw new CrewError(
    'USAGE',
    `${shownUrl} has no default branch. Add one to the address, such as #${names.join(' or #')}.`,
  );
}

/**
 * Adds commits to one of the repository and pushes them as a branch; returns the last one. `folder` is empty. `commits`: a stream of
 * `git fast-import` for `refs/heads/` and the name of the branch.
 */
export async function pushCommits(
  { url, base, branch }: { readonly url: string; readonly base: string; readonly branch: string },
  folder: string,
  { commits, ...options }: GitOptions & { readonly commits: AsyncIterable<Uint8Array> },
): Promise<string> {
  const run = { limits: GIT_LIMITS, ...options, cwd: folder, address: { url, ref: base } };
  const ref = `${BRANCHES}${branch}`;
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
  const run = { limits: GIT_LIMITS, ...options, cwd: folder, address: { url, ref: branch } };
  if (isNew) await runGit(['init', '--quiet', '--template=', '.'], run);
  else await fetchCommit(run);
  const parent = isNew ? undefined : (await runGit(['rev-parse', 'FETCH_HEAD'], run)).trim();
  const listed = isNew
    ? 'bmad.json'
    : await runGit(['ls-tree', '--name-only', 'FETCH_HEAD', 'bmad.json'], run);
  if (!listed.includes('bmad.json'))
    throw new CrewError(
      'USAGE',
      `The branch "${branch}" of ${toShownText(url)} has other files than a package, which would be replaced. Choose another branch: #BRANCH.`,
    );
  // Without a name in the settings of git.
  const nobody = `CrewAgent <crewagent@localhost> ${Math.floor(Date.now() / 1_000)} +0000`;
  const who = await runGit(['var', 'GIT_COMMITTER_IDENT'], run).catch(() => nobody);
  const ref = `${BRANCHES}${branch}`;
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
  const { limits = { ...GIT_LIMITS, seconds: 60 } } = options;
  const listed = await runGit(['ls-remote', '--quiet', '--', address.url], { ...options, limits, address });
  const refs = new Map<string, string>();
  for (const line of listed.split('\n')) {
    const [commit = '', name = ''] = line.split('\t');
    // An annotated tag is listed twice; the second time with its commit.
    if (name !== '') refs.set(name.replace(/\^\{\}$/, ''), commit);
  }
  return refs;
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

/** Runs git in a folder of this machine, with the same settings as for other repositories. */
export function runLocalGit(folder: string, args: readonly string[]): Promise<string> {
  const limits = {
    seconds: GIT_LIMITS.seconds,
    bytes: Number.POSITIVE_INFINITY,
    files: Number.POSITIVE_INFINITY,
  };
  return runGit(args, { cwd: folder, limits, address: { url: folder, ref: undefined } });
}
