import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readTree, tempFolder } from '../../../core/src/testing/temp-folder.ts';
import { openWorkspaceRig } from '../testing/workspace-rig.ts';

async function createRepository() {
  const folder = await tempFolder();
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  git('init', '--quiet', '--initial-branch=main');
  return {
    folder,
    git,
    async commit(files: Record<string, string | undefined>): Promise<string> {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(join(folder, path, '..'), { recursive: true });
        if (text === undefined) await rm(join(folder, path));
        else await writeFile(join(folder, path), text);
      }
      git('add', '--all');
      git('commit', '--quiet', '--no-verify', '-m', 'x');
      return git('rev-parse', 'HEAD');
    },
  };
}

async function openGitRig(url: string, branch?: string) {
  const rig = await openWorkspaceRig();
  const scratch = await tempFolder();
  const projectId = await rig.createProject({ kind: 'git', url, branch });
  const workspaces = await rig.openWorkspaces({ scratch });
  return {
    ...rig,
    projectId,
    workspaces,
    refresh: (access: object = {}) => workspaces.refresh({ projectId, by: 'ann', ...access }),
    push: (rootId: string, access: object = {}) => workspaces.push({ projectId, rootId, ...access }),
    clones: () => readdirSync(join(scratch, 'clones')),
    files: async () => filesIn(await workspaces.readHead(projectId)),
  };
}

async function filesIn(folder: string): Promise<Record<string, string>> {
  return Object.fromEntries(Object.entries(await readTree(folder)).filter(([path]) => !path.endsWith('/')));
}

it('new commits of the branch become versions, merged with what runs changed', async () => {
  const repository = await createRepository();
  const lines = 'one\ntwo\nthree\nfour\n';
  const first = await repository.commit({ 'a.md': lines, 'b.md': 'b\n', 'c.md': 'c\n', 'd.md': 'd\n' });
  const { refresh, files, workspaces, projectId, createWork, change, clones } = await openGitRig(
    `file://${repository.folder}`,
    'main',
  );
  expect(await refresh()).toMatchObject({ version: 1, commit: first });
  expect(await files()).toEqual({ 'a.md': lines, 'b.md': 'b\n', 'c.md': 'c\n', 'd.md': 'd\n' });
  expect(await refresh()).toMatchObject({ version: 1, commit: first });

  const workspace = await workspaces.checkOut(await createWork(projectId));
  await change(workspace, 'a.md', lines.replace('one', 'ONE'));
  await change(workspace, 'b.md', 'of the run\n');
  await change(workspace, 'c.md', undefined);
  await workspace.checkIn({ rootId: workspace.rootId, epoch: '1' });

  const second = await repository.commit({
    'a.md': lines.replace('four', 'FOUR'),
    'b.md': 'of git\n',
    'd.md': undefined,
  });
  expect(await refresh()).toMatchObject({
    version: 3,
    commit: second,
    merged: ['a.md'],
    conflicts: [{ path: 'b.md', reason: 'lines' }],
  });
  const merged = { 'a.md': 'ONE\ntwo\nthree\nFOUR\n', 'b.md': 'of the run\n' };
  expect(await files()).toEqual(merged);
  expect(await workspaces.listConflicts(projectId)).toMatchObject([{ path: 'b.md', rootId: undefined }]);

  // Only what is new since the last commit counts.
  await repository.commit({ 'e.md': 'e\n' });
  expect(await refresh()).toMatchObject({ version: 4, conflicts: [] });
  expect(await files()).toEqual({ ...merged, 'e.md': 'e\n' });
  expect(clones()).toEqual([]);
});

it('what a run checked in becomes a branch, with a commit per check-in', async () => {
  const repository = await createRepository();
  await writeFile(join(repository.folder, 'tool'), 'x');
  await chmod(join(repository.folder, 'tool'), 0o755);
  await symlink('tool', join(repository.folder, 'link'));
  const base = await repository.commit({ 'a.md': 'a\n', 'gone.md': 'x\n', 'docs/b.md': 'b\n' });
  const { refresh, push, workspaces, projectId, createWork, change } = await openGitRig(
    `file://${repository.folder}`,
  );
  await refresh();
  const rootId = await createWork(projectId);
  await expect(push(rootId)).rejects.toMatchObject({ code: 'USAGE' });
  const workspace = await workspaces.checkOut(rootId);
  const claim = { rootId, epoch: '1' };
  await change(workspace, 'a.md', 'A\n');
  await change(workspace, 'new "file".md', 'new\n', 0o755);
  await workspace.checkIn(claim);
  const first = await push(rootId);
  await change(workspace, 'gone.md', undefined);
  await change(workspace, 'docs/b.md', undefined);
  await change(workspace, 'docs', 'a file now\n');
  await workspace.checkIn(claim);
  const second = await push(rootId);

  const { git } = repository;
  expect(second.branch).toBe(`crewagent/${rootId}`);
  expect(git('rev-list', second.branch).split('\n')).toEqual([second.commit, first.commit, base]);
  expect(git('rev-parse', 'main')).toBe(base);
  expect(
    git('ls-tree', '-r', '-z', '--format=%(objectmode) %(path)', second.branch).split('\0').filter(Boolean),
  ).toEqual(['100644 a.md', '100644 docs', '120000 link', '100755 "new \\"file\\".md"', '100755 tool']);
  expect(git('show', `${second.branch}:a.md`)).toBe('A');
  expect(await filesIn(workspace.folder)).toMatchObject({ docs: 'a file now\n' });
});

it('credentials go to the host of the repository, and stay nowhere', async () => {
  const repository = await createRepository();
  await repository.commit({ 'a.md': 'a\n' });
  repository.git('config', 'http.receivepack', 'true');
  const seen: string[] = [];
  const { url, certificate } = await serveGit(repository.folder, (authorization) => {
    seen.push(authorization);
    return authorization === `Basic ${Buffer.from('ann:s3cret').toString('base64')}`;
  });
  vi.stubEnv('GIT_SSL_CAINFO', certificate);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { refresh, push, files, workspaces, projectId, createWork, change } = await openGitRig(url);
  await expect(refresh()).rejects.toMatchObject({ code: 'USAGE' });
  expect(seen.join('')).toBe('');
  const credentials = { user: 'ann', password: 's3cret' };
  await refresh({ credentials });
  expect(await files()).toEqual({ 'a.md': 'a\n' });
  const workspace = await workspaces.checkOut(await createWork(projectId));
  await change(workspace, 'a.md', 'A\n');
  await workspace.checkIn({ rootId: workspace.rootId, epoch: '1' });
  const { branch } = await push(workspace.rootId, { credentials });
  expect(repository.git('show', `${branch}:a.md`)).toBe('A');
  expect(readFileSync(join(repository.folder, '.git/config'), 'utf8')).not.toContain('s3cret');
});

/** A repository over HTTPS, by the program that comes with git. */
async function serveGit(folder: string, isAllowed: (authorization: string) => boolean) {
  const keys = await tempFolder();
  const [key, certificate] = [join(keys, 'key.pem'), join(keys, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const options = [
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '1',
  ];
  execFileSync('openssl', ['req', ...options, ...subject, '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  });
  const backend = join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend');
  const server = createServer(
    { key: readFileSync(key), cert: readFileSync(certificate) },
    (request, response) => {
      if (!isAllowed(request.headers.authorization ?? '')) {
        response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
        return;
      }
      const { pathname, searchParams } = new URL(request.url ?? '/', 'https://localhost');
      const child = spawn(backend, {
        env: {
          ...process.env,
          GIT_PROJECT_ROOT: join(folder, '.git'),
          GIT_HTTP_EXPORT_ALL: '1',
          PATH_INFO: pathname.replace('/repo', ''),
          QUERY_STRING: searchParams.toString(),
          REQUEST_METHOD: request.method,
          REMOTE_USER: 'ann',
          CONTENT_TYPE: request.headers['content-type'] ?? '',
          CONTENT_LENGTH: request.headers['content-length'] ?? '',
          HTTP_CONTENT_ENCODING: String(request.headers['content-encoding'] ?? ''),
          GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        },
      });
      request.pipe(child.stdin);
      const output: Buffer[] = [];
      child.stdout.on('data', (part: Buffer) => output.push(part));
      child.on('close', () => {
        const all = Buffer.concat(output);
        const end = all.indexOf('\r\n\r\n');
        for (const line of all.toString('latin1', 0, end).split('\r\n')) {
          const [name = '', ...value] = line.split(': ');
          if (name === 'Status') response.statusCode = Number.parseInt(value.join(': '), 10);
          else response.setHeader(name, value.join(': '));
        }
        response.end(all.subarray(end + 4));
      });
    },
  );
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  onTestFinished(() => void server.close());
  return { url: `https://localhost:${(server.address() as AddressInfo).port}/repo`, certificate };
}
