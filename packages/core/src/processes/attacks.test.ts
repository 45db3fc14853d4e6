import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { driverPath } from '../testing/driver-path.ts';
import { isExhaustive } from '../testing/kill-points.ts';
import { hasSandbox } from '../testing/require-sandbox.ts';
import { testServer } from '../testing/rigs/mcp-rig.ts';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import { processesWith } from '../testing/views.ts';

const SECRET = 'S3CRET-VALUE';

interface Attack {
  readonly name: string;
  readonly script: string;
  /** Prepares the project further. */
  prepare?(project: string): void;
  /** Git is allowed in the project. */
  readonly git?: boolean;
  /** The project has no repository of its own. */
  readonly isPlain?: boolean;
  /** Entries that may be there afterwards. */
  readonly keeps?: RegExp;
  /** Must be in the output, to show that the attack was carried out. */
  readonly says?: RegExp;
  /** Must be shown to a person. */
  readonly asks?: RegExp;
  check?(project: string): void;
}

const FSMONITOR = String.raw`printf '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch pwned; false"\n'`;

/** The next git command of the person must run nothing. */
function gitRunsNothing(...folders: readonly string[]): (project: string) => void {
  return (project) => {
    for (const folder of folders) {
      if (!existsSync(join(project, folder))) continue;
      spawnSync('git', ['-c', 'safe.directory=*', 'status'], { cwd: join(project, folder) });
      expect(existsSync(join(project, folder, 'pwned'))).toBe(false);
    }
  };
}

const ATTACKS: readonly Attack[] = [
  {
    name: 'a link named .git leads to a folder with core.fsmonitor',
    isPlain: true,
    script: `git init -q --bare .cfg; ${FSMONITOR} > .cfg/config; ln -s .cfg .git; echo done`,
    says: /done/,
    keeps: /^\.cfg$/,
    check: gitRunsNothing('.'),
  },
  {
    name: 'a .git file leads to another folder',
    isPlain: true,
    script: `mkdir -p x/objects x/refs; echo 'ref: refs/heads/m' > x/HEAD; ${FSMONITOR} > x/config; echo 'gitdir: x' > .git`,
    keeps: /^x$/,
    check: gitRunsNothing('.', 'x'),
  },
  {
    name: 'a bare repository of four files',
    script: `mkdir -p lib/objects lib/refs; echo 'ref: refs/heads/m' > lib/HEAD; ${FSMONITOR} > lib/config`,
    keeps: /^lib\/?$/,
    check: gitRunsNothing('lib'),
  },
  {
    name: 'a bare repository at the top of the project',
    isPlain: true,
    script: `mkdir objects refs; echo 'ref: refs/heads/m' > HEAD; ${FSMONITOR} > config`,
    check: gitRunsNothing('.'),
  },
  {
    name: 'hooks of the repository',
    script: 'echo x > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit',
  },
  {
    name: 'configuration of the repository',
    script: 'git config core.fsmonitor x; echo "[a]" >> .git/config; true',
  },
  { name: 'moving and removing the repository', script: 'mv .git other; rm -rf .git; rmdir .git; true' },
  {
    name: 'a copy of the repository',
    script: 'cp -r .git copy; echo "[core] fsmonitor=x" >> copy/config',
    keeps: /^copy(?:\/(?!config|HEAD|objects|refs|hooks|info|index|logs).*)?$/,
  },
  {
    name: 'a nested repository with hooks',
    script: 'mkdir -p a/b/.git/hooks; echo x > a/b/.git/hooks/post-checkout',
    keeps: /^a(?:\/b)?\/?$/,
  },
  { name: 'another spelling of .git', script: 'mkdir -p s/.GIT; echo x > s/.GIT/config', keeps: /^s\/?$/ },
  {
    name: 'the secret file',
    script: 'cat .env; cat /project/.env; cat src/../.env; head -c 99 < .env; echo done',
    says: /done/,
  },
  {
    name: 'a secret file through links',
    script: 'ln -s .env l; cat l; ln .env h; cat h; ln -s /project/.env m; cat m; rm -f l h m; echo done',
    says: /done/,
  },
  {
    name: 'a secret file under another name of the same file',
    prepare: (project) => linkSync(join(project, '.env'), join(project, 'notes.txt')),
    script: 'cat notes.txt; cat *.txt; echo done',
    says: /done/,
  },
  {
    name: 'a secret file in copies and archives',
    script:
      'cp -r . /tmp/c; cat /tmp/c/.env; tar c . | grep -a S3C; grep -r S3C . ; find / -name ".env*" -exec cat {} +; echo done',
    says: /done/,
  },
  {
    name: 'a secret file through /proc',
    script:
      'cat /proc/1/root/project/.env /proc/self/root/project/.env /proc/self/cwd/.env; for f in /proc/*/fd/*; do head -c 500 $f/.env; done </dev/null; ls -l /proc/self/fd; echo done',
    says: /done/,
  },
  {
    name: 'a secret file by moving its folder',
    prepare: (project) => {
      mkdirSync(join(project, 'conf'));
      writeFileSync(join(project, 'conf/.env.local'), SECRET);
    },
    script:
      'mv conf moved; cat moved/.env.local conf/.env.local; cp -r conf other; cat other/.env.local; echo done',
    says: /done/,
    keeps: /^moved\/?$/,
  },
  {
    name: 'secret files that the program creates',
    script: 'echo x > .env.local; mkdir .ssh; echo k > .ssh/authorized_keys; echo y > .npmrc',
  },
  {
    name: 'a flood of entries before the attack',
    prepare(project) {
      mkdirSync(join(project, 'aaa'));
      for (let index = 0; index < 25_000; index++) writeFileSync(join(project, 'aaa', String(index)), '');
      writeFileSync(join(project, 'zzz.env'), '');
      mkdirSync(join(project, 'zz'));
      writeFileSync(join(project, 'zz/.env'), SECRET);
    },
    script:
      'cat .env zz/.env; echo x > .git/hooks/post-merge; echo "{}" > package.json; mkdir -p zz/.git/hooks; echo x > zz/.git/hooks/a; echo done',
    says: /done|package\.json/,
    asks: /package\.json/,
  },
  {
    name: 'package scripts',
    script: `echo '{"scripts":{"postinstall":"touch pwned"}}' > package.json`,
    asks: /postinstall/,
  },
  {
    name: 'workflows and editor tasks',
    script: 'echo x > .github/workflows/new.yml; mkdir -p .vscode; echo "{}" > .vscode/tasks.json',
    asks: /new\.yml/,
    keeps: /^\.vscode\/?$/,
  },
  {
    name: 'a replaced program of an installed package',
    script: 'echo evil > node_modules/.bin/tool; echo evil >> node_modules/pkg/index.js',
    asks: /program changed node_modules\/\.bin\/tool/,
  },
  {
    name: 'a removed and installed package',
    script:
      'rm -rf node_modules/pkg; mkdir node_modules/left-pad; echo "{}" > node_modules/left-pad/package.json',
    asks: /removed pkg[\s\S]*added left-pad|added left-pad[\s\S]*removed pkg/,
  },
  { name: 'an execute bit', script: 'chmod +x src/a.txt', asks: /new mode 100755/ },
  {
    name: 'a new program, also with setuid',
    script: 'cp /bin/true prog; chmod 4755 prog; chmod g+s prog',
    asks: /prog/,
  },
  { name: 'a changed program', script: 'echo evil >> bin/run.sh', asks: /evil/ },
  {
    name: 'pipes, sockets and devices',
    script:
      'mkfifo pipe; mknod dev c 1 3; mknod zero c 0 0; mknod blk b 8 0; python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\'sock\')"; true',
  },
  {
    name: 'links out of the project',
    script: 'ln -s /etc/passwd l1; ln -s ../../outside l2; ln -s ~ l3; ln -s /project l4',
    asks: /\/etc\/passwd/,
  },
  {
    name: 'a link to protected files',
    script: 'ln -s .github/workflows wf; ln -s package.json p.txt',
    asks: /wf/,
  },
  { name: 'a link to git and to a secret file', script: 'ln -s .git g; ln -s .git/hooks h; ln -s .env e' },
  { name: 'a link in place of a file', script: 'rm src/a.txt; ln -s b.txt src/a.txt', asks: /src\/a\.txt/ },
  {
    name: 'a link in place of a protected folder',
    script: 'mkdir wf; echo x > wf/y.yml; rm -rf .github/workflows; ln -s ../wf .github/workflows',
    keeps: /^wf(?:\/y\.yml)?\/?$/,
    asks: /workflows/,
  },
  {
    name: 'a name that starts with a dot for a folder',
    script: 'mkdir -p v; echo "{}" > v/tasks.json; ln -s v .vscode',
    keeps: /^v(?:\/tasks\.json)?\/?$/,
    asks: /\.vscode/,
  },
  { name: 'removing protected files', script: 'rm -rf .github package.json', asks: /package\.json/ },
  {
    name: 'names with control characters',
    script: String.raw`touch "$(printf 'a\nb')" "$(printf 'c\033[2Jd')" "$(printf 'e\342\200\256f')"; true`,
  },
  { name: 'a very large file', script: 'truncate -s 3G big; true' },
  {
    name: 'folders deeper than a path may be',
    script:
      'i=0; while [ $i -lt 150 ]; do mkdir dddddddddddddddddddddddddddddddddddddddd && cd dddddddddddddddddddddddddddddddddddddddd || break; i=$((i+1)); done; touch x; chmod 000 .; true',
    keeps: /^d{40}(?:\/|$)/,
  },
  {
    name: 'folders that cannot be read',
    script: 'mkdir locked; echo x > locked/f; chmod 000 locked; mkdir ro; echo x > ro/f; chmod 555 ro',
    keeps: /^(?:locked|ro)(?:\/f)?\/?$/,
  },
  {
    name: 'real paths',
    script:
      'pwd; pwd -P; env; cat /proc/self/mountinfo /proc/mounts /proc/self/environ /proc/1/cmdline /proc/1/environ; readlink -f . ; ls -l /proc/self/cwd /proc/self/exe; git rev-parse --show-toplevel; echo "int x" > /tmp/e.c; cc -c /tmp/e.c -o /dev/null; node -e "console.log(process.cwd(), os.homedir(), os.userInfo())"; id; cat /etc/passwd',
    says: /\/project/,
  },
  {
    name: 'an allowed git with hooks, configuration and attributes',
    git: true,
    script: `git config core.hooksPath /project/h; git config alias.x '!touch pwned'; echo x > .git/hooks/post-commit; echo '* filter=x' > .git/info/attributes; echo /tmp > .git/objects/info/alternates; echo new > src/new.txt; git -c user.name=n -c user.email=e@x add src; git -c user.name=n -c user.email=e@x commit -qm second; git log --oneline`,
    keeps: /^src\/new\.txt$|^\.git\/(?:objects|refs|logs|index$|COMMIT_EDITMSG$|HEAD$|ORIG_HEAD$)/,
    says: /second/,
    check(project) {
      const log = spawnSync('git', ['-c', 'safe.directory=*', 'log', '--oneline'], {
        cwd: project,
        encoding: 'utf8',
      });
      expect(log.stdout).toContain('second');
    },
  },
  {
    name: 'an allowed git with a hostile HEAD and links',
    git: true,
    script:
      'printf "ref: ../../x" > .git/HEAD; ln -sf /etc .git/refs/heads/l; mkdir -p .git/modules/m/hooks; echo x > .git/modules/m/config; echo x > .git/modules/m/hooks/h; mkdir -p .git/worktrees/w; echo x > .git/worktrees/w/gitdir; echo /x > .git/commondir; true',
    keeps: /^$/,
  },
  {
    name: 'files of the system and of the home folder',
    script:
      'echo x > /usr/evil; echo x > /etc/evil; echo x > /evil; echo x > ~/.profile; echo x > ~/.bashrc; echo x > ../evil; cat /etc/shadow /root/.ssh/* ~/.ssh/*; echo done',
    says: /done/,
  },
  {
    name: 'signals to other processes',
    script: 'kill -9 -1; kill -9 1; kill -9 $PPID; echo survived',
    keeps: /^$/,
  },
  {
    name: 'mounts in a namespace of its own',
    script: `unshare -Urm sh -c 'umount -l /project/.git; umount /project; mount -o remount,bind,rw /project/.git; echo x > /project/.git/config; cat /project/.env; mkdir /tmp/m; mount --rbind / /tmp/m; cat /tmp/m/project/.env; mount -t overlay o -o lowerdir=/project,upperdir=/tmp/u,workdir=/tmp/w /tmp/m'; umount /project/.git; mount -o remount,rw /usr; nsenter -t 1 -m cat /project/.env; chroot /proc/1/root true; echo done`,
    says: /done/,
  },
  {
    name: 'processes of this machine',
    script: `ls /proc | grep -c '^[0-9]'; cat /proc/${process.pid}/environ /proc/${process.pid}/cmdline; ls -l /proc/${process.pid}/root/; echo done`,
    says: /done/,
  },
  {
    name: 'a process that stays, and writes later',
    // What a server writes between calls is judged with the next call.
    script:
      'setsid nohup sh -c "sleep 1; echo late > src/late.txt; sleep 88123" >/dev/null 2>&1 & exec 7>src/open.txt; (sleep 1; echo late >&7) & echo now > src/now.txt',
    keeps: /^src\/(?:now|open|late)\.txt$/,
  },
  {
    name: 'keys and sockets of the person',
    script: 'ls /run/user /tmp/.X11-unix /run/dbus /var/run/docker.sock; cat /proc/keys; echo done',
    says: /done/,
  },
];

interface Entry {
  readonly mode: number;
  readonly content: string;
}

/** Every entry with its permissions, content or target. */
function readAll(folder: string, prefix = ''): Map<string, Entry> {
  const found = new Map<string, Entry>();
  for (const name of readdirSync(join(folder, prefix))) {
    const path = prefix === '' ? name : `${prefix}/${name}`;
    const stats = lstatSync(join(folder, path));
    const content = contentOf(join(folder, path), stats);
    found.set(path, { mode: stats.isSymbolicLink() ? 0 : stats.mode & 0o7777, content });
    if (stats.isDirectory() && path.length < 2_000)
      for (const [inner, entry] of readAll(folder, path)) found.set(inner, entry);
  }
  return found;
}

function contentOf(path: string, stats: Stats): string {
  if (stats.isSymbolicLink()) return readlinkSync(path);
  if (stats.isDirectory()) return 'folder';
  if (!stats.isFile()) return 'special';
  if (stats.size > 1e6) return 'large';
  // One attack has thousands of empty files.
  return stats.size === 0 ? '' : readFileSync(path, 'utf8');
}

/** A project, and the same one with a repository: made once, because each git command is a process. */
async function createTemplates() {
  const [plain, repository] = [await tempFolder(), await tempFolder()];
  await writeTree(plain, {
    '.env': `TOKEN=${SECRET}`,
    'package.json': '{"name":"a"}',
    'node_modules/.bin/tool': '#!/bin/sh\n',
    'node_modules/pkg/package.json': '{"name":"pkg"}',
    'node_modules/pkg/index.js': 'x',
    'src/a.txt': 'a',
    'src/b.txt': 'b',
    '.github/workflows/ci.yml': 'on: push',
    'bin/run.sh': '#!/bin/sh\n',
  });
  await chmod(join(plain, 'bin/run.sh'), 0o755);
  await chmod(join(plain, 'node_modules/.bin/tool'), 0o755);
  cpSync(plain, repository, { recursive: true });
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', ...args], { cwd: repository });
  git('init', '-q');
  git('add', 'src');
  git('commit', '-qm', 'first');
  return { plain, repository };
}

const OTHER_USER = 65_534;

async function runAttacks(kind: 'command' | 'server', isOtherUser: boolean) {
  const root = await tempFolder();
  await chmod(root, 0o755);
  const templates = await createTemplates();
  const prepared: { attack: Attack; project: string; before: Map<string, Entry> }[] = [];
  for (const [index, attack] of attacksOf(kind, isOtherUser).entries()) {
    const project = join(root, `person-${index}`, 'project');
    cpSync(attack.isPlain ? templates.plain : templates.repository, project, { recursive: true });
    attack.prepare?.(project);
    prepared.push({ attack, project, before: readAll(project) });
  }
  const list = prepared.map(({ attack: { script, git = false }, project }) => ({
    project,
    script,
    git,
    work: join(project, '../work'),
  }));
  writeFileSync(join(root, 'attacks.json'), JSON.stringify(list));
  mkdirSync(join(root, 'home'));
  if (isOtherUser) execFileSync('chown', ['-R', `${OTHER_USER}:${OTHER_USER}`, root]);
  const ids = isOtherUser ? { uid: OTHER_USER, gid: OTHER_USER } : {};
  const { args } = testServer();
  const driver = spawnSync(
    process.execPath,
    [driverPath('attack-driver'), kind, join(root, 'attacks.json'), args[0] ?? ''],
    {
      ...ids,
      cwd: root,
      env: { PATH: process.env.PATH, HOME: join(root, 'home') },
      encoding: 'utf8',
      maxBuffer: 1e9,
    },
  );
  if (driver.status !== 0) throw new Error(`the driver failed: ${driver.stderr.slice(0, 2_000)}`);
  const answers = JSON.parse(driver.stdout) as unknown[];
  return prepared.map((each, index) => ({ ...each, root, answer: JSON.stringify(answers[index]) }));
}

const isRoot = process.geteuid?.() === 0;

/** `npm run test:crash` makes each attack in both ways as both users, `npm test` in each way once and as each user once. */
function attacksOf(kind: 'command' | 'server', isOtherUser: boolean): readonly Attack[] {
  if (isExhaustive || !isRoot) return ATTACKS;
  return ATTACKS.filter((_, index) => (index % 2 === 0) === ((kind === 'command') === isOtherUser));
}

const USERS = [
  { user: 'the user of the tests', isOtherUser: false },
  // Only root can start a process as somebody else.
  ...(isRoot ? [{ user: 'another user', isOtherUser: true }] : []),
];

async function resist(kind: 'command' | 'server', isOtherUser: boolean): Promise<void> {
  for (const { attack, project, before, root, answer } of await runAttacks(kind, isOtherUser)) {
    const where = `${attack.name}: ${answer.slice(0, 1_500)}`;
    expect.soft(answer, where).not.toMatch(/threw|was not run|TOOL_NOT_AVAILABLE/);
    expect.soft(answer, where).not.toContain(SECRET);
    expect.soft(answer, where).not.toContain(root);
    if (attack.says) expect.soft(answer, where).toMatch(attack.says);
    if (attack.asks) expect.soft(answer.replaceAll('\\n', '\n'), where).toMatch(attack.asks);
    const after = readAll(project);
    const isKept = (path: string): boolean => attack.keeps?.test(path) ?? false;
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter((path) => {
      const [old, now] = [before.get(path), after.get(path)];
      return !isKept(path) && (old?.content !== now?.content || old?.mode !== now?.mode);
    });
    expect.soft(changed, where).toEqual([]);
    attack.check?.(project);
  }
  await expect.poll(() => processesWith('sleep 88123')).toEqual([]);
  expect(existsSync('/usr/evil') || existsSync('/etc/evil') || existsSync('/evil')).toBe(false);
}

describe.skipIf(!hasSandbox)('attacks', () => {
  it.each(USERS)(
    '[T131] a hostile command as $user gets nothing but what a person approves',
    ({ isOtherUser }) => resist('command', isOtherUser),
    240_000,
  );

  it.each(USERS)(
    '[T131] a hostile server as $user gets nothing but what a person approves',
    ({ isOtherUser }) => resist('server', isOtherUser),
    240_000,
  );
});
