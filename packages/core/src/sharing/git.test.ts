import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSource } from '../import/source/read-source.ts';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import { fetchRepository, listRefs } from './git.ts';
import { isGitAddress, nameOfRepository, parseGitAddress } from './git-address.ts';

/** A repository with one commit of these files. */
async function createRepository(files: Readonly<Record<string, string>>) {
  const folder = await tempFolder();
  const [repository, target] = [join(folder, 'tools'), join(folder, 'target')];
  await writeTree(repository, files);
  await mkdir(target);
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], {
      cwd: repository,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  git('init', '--quiet', '--initial-branch=main');
  const commit = (): string => {
    git('add', '--all');
    git('commit', '--quiet', '--no-verify', '-m', 'x');
    return git('rev-parse', 'HEAD');
  };
  return { repository, target, git, commit, url: `file://${repository}`, first: commit() };
}

/** A folder of programs as on a machine without git: the shell that watches over a process needs these. */
async function folderWithoutGit(): Promise<string> {
  const folder = await tempFolder();
  for (const name of ['cat', 'find', 'grep', 'rmdir', 'sleep']) {
    const program = execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
    await symlink(program, join(folder, name));
  }
  return folder;
}

describe('the address of a repository', () => {
  it('[Z2] accepts the protocols that git itself speaks, with a tag', () => {
    expect(parseGitAddress('https://example.org/a/b.git#v1.0.0')).toEqual({
      url: 'https://example.org/a/b.git',
      ref: 'v1.0.0',
    });
    for (const url of ['ssh://git@example.org:22/a.git', 'git@example.org:a/b.git', 'git://h/x', 'file:///a'])
      expect(parseGitAddress(url)).toEqual({ url, ref: undefined });
    expect(['https://h/x', 'git@h:x', './folder', 'a/b', 'C:\\x'].map(isGitAddress)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(nameOfRepository('https://example.org/a/My%20Tools.git/')).toBe('My-Tools');
  });

  it.each([
    '-uhttps://h/x',
    '--upload-pack=touch x',
    'ext::sh -c touch% x',
    'http://h/x',
    'ssh://-oProxyCommand=x/y',
    'ssh://git@-oProxyCommand=x/y',
    'git@h:-x',
    'https://user:secret@h/x',
    'fd::7',
    'https://h/x y',
    '',
  ])('[Z2] rejects %j', (url) => {
    expect(() => parseGitAddress(url)).toThrow(/is not accepted/);
  });

  it.each(['--upload-pack=x', '-x', 'a..b', 'a b', 'x.lock', '', 'a/', '+x:y'])(
    '[Z2] rejects the tag %j',
    (ref) => {
      expect(() => parseGitAddress(`https://h/x#${ref}`)).toThrow(/cannot be the name/);
    },
  );
});

describe('fetching a repository', () => {
  it('[Z2] gets one commit of a tag, a branch, an id or the default branch, without history', async () => {
    const { repository, git, commit, url, first, target } = await createRepository({ 'a.md': '1' });
    git('tag', '-a', 'v1.0.0', '-m', 'x');
    await writeFile(join(repository, 'a.md'), '2');
    const second = commit();
    for (const [ref, expected] of [
      ['v1.0.0', first],
      ['main', second],
      [undefined, second],
      [second, second],
    ] as const) {
      const folder = join(target, ref ?? 'default');
      await mkdir(folder);
      expect(await fetchRepository({ url, ref }, folder)).toBe(expected);
      expect(await readFile(join(folder, 'a.md'), 'utf8')).toBe(expected === first ? '1' : '2');
    }
    const refs = await listRefs({ url, ref: undefined }, { cwd: target });
    expect(refs.get('HEAD')).toBe(second);
    expect(refs.get('refs/tags/v1.0.0')).toBe(first);
  });

  it('fetches the branch that is there if the default one is not', async () => {
    const { repository, target, git, url, first } = await createRepository({ 'a.md': 'x' });
    const fetchInto = async (name: string): Promise<string> => {
      const folder = join(target, name);
      await mkdir(folder);
      return fetchRepository({ url, ref: undefined }, folder);
    };
    git('branch', '-m', 'work');
    git('symbolic-ref', 'HEAD', 'refs/heads/none');
    expect(await fetchInto('only')).toBe(first);
    git('branch', 'other', first);
    await expect(fetchInto('several')).rejects.toThrow(
      /has no default branch\. Add one to the address, such as #other or #work\.$/,
    );
    git('branch', 'main', first);
    expect(await fetchInto('main')).toBe(first);
    await rm(join(repository, '.git/refs/heads'), { recursive: true });
    await mkdir(join(repository, '.git/refs/heads'));
    await expect(fetchInto('empty')).rejects.toThrow(/has no commits\.$/);
  });

  it('[Z2] runs nothing of a hostile repository, and its links are not followed', async () => {
    const marker = join(await tempFolder(), 'ran');
    const { repository, target, git, commit, url } = await createRepository({
      'SKILL.md': '# Skill\n',
      '.gitattributes': '* filter=evil\n',
      '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ext::sh -c touch%20${marker}\n`,
      'hooks/post-checkout': `#!/bin/sh\ntouch ${marker}\n`,
    });
    await symlink('/etc/passwd', join(repository, 'secret.md'));
    await symlink('/etc', join(repository, 'folder'));
    commit();
    git('config', 'filter.evil.smudge', `touch ${marker}; cat`);
    git('config', 'core.fsmonitor', `touch ${marker}`);
    await writeFile(join(repository, '.git/hooks/post-checkout'), `#!/bin/sh\ntouch ${marker}\n`, {
      mode: 0o755,
    });
    await fetchRepository({ url, ref: undefined }, target);
    await expect(readFile(marker)).rejects.toThrow(/ENOENT/);
    const tree = await readSource(target);
    expect(tree.findings.map(({ code, file }) => `${code} ${file}`)).toEqual([
      'LINK folder',
      'LINK secret.md',
    ]);
    expect(tree.paths.some((path) => path.startsWith('.git/'))).toBe(false);
  });

  it('[Z2] does not check out more than the limits allow, however well it is compressed', async () => {
    const { repository, target, commit, url } = await createRepository({ 'a.md': 'x' });
    await writeFile(join(repository, 'zeros'), Buffer.alloc(3 * 1_048_576));
    commit();
    const limits = { seconds: 60, bytes: 2 * 1_048_576, files: 10 };
    await expect(fetchRepository({ url, ref: undefined }, target, { limits })).rejects.toThrow(
      /too large to import: at most 2 MiB and 10 files/,
    );
    expect(await readdir(target)).toEqual(['.git']);
  });

  it('[Z2] says in a sentence what is missing: the repository, the tag, the host, git itself', async () => {
    const { target, url } = await createRepository({ 'a.md': 'x' });
    const fetch = (address: string, ref?: string) => fetchRepository({ url: address, ref }, target);
    await expect(fetch(url, 'v9')).rejects.toThrow(/has no tag, branch or commit "v9"/);
    await expect(fetch('file:///nowhere/at/all')).rejects.toThrow(/There is no git repository at/);
    await expect(fetch('https://host.invalid/x.git')).rejects.toThrow(/The host of .* is unknown/);
    const { PATH } = process.env;
    process.env.PATH = await folderWithoutGit();
    try {
      await expect(fetch(url)).rejects.toThrow(/git was not found on this machine/);
    } finally {
      process.env.PATH = PATH;
    }
  });

  it('[Z2] ends with its signal and its time limit', async () => {
    const { target, url } = await createRepository({ 'a.md': 'x' });
    await expect(
      fetchRepository({ url, ref: undefined }, target, { signal: AbortSignal.abort() }),
    ).rejects.toThrow(/Stopped/);
    const limits = { seconds: 0.001, bytes: 1_048_576, files: 10 };
    await expect(fetchRepository({ url, ref: undefined }, target, { limits })).rejects.toThrow(/took longer/);
  });
});
