/** Every entry here is proved with the program itself: the program runs the file, and the check says so. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder, writeTree } from '../../testing/temp-folder.ts';
import { isGitFolder } from './git-folder.ts';
import { findRunner } from './runs-later.ts';

interface Case {
  readonly files: Readonly<Record<string, string>>;
  /** The files that the check must find; default: all. */
  readonly found?: readonly string[];
  /** Commands by a person in the folder; the last one must run the file, which creates `ran`. */
  readonly commands: readonly (readonly [string, ...string[]])[];
  readonly env?: Readonly<Record<string, string>>;
  /** Take the folder for the home of the person. */
  readonly isHome?: true;
}

const REPOSITORY = { HEAD: 'ref: refs/heads/main\n', 'objects/info/x': '', 'refs/heads/.x': '' };
const gitConfig = (settings: string) =>
  `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n${settings}`;
const IDENTITY = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
};
const INCLUDE = ['git', 'config', 'include.path', '../settings.inc'] as const;

const CASES: Readonly<Record<string, Case>> = {
  'git: fsmonitor in a folder that is a repository': {
    files: { ...REPOSITORY, config: gitConfig('\tfsmonitor = "touch ran; false"\n') },
    found: ['config'],
    commands: [['git', 'status']],
  },
  'git: sshCommand in such a folder': {
    files: { ...REPOSITORY, config: gitConfig('\tsshCommand = "touch ran; false"\n') },
    found: ['config'],
    commands: [['git', 'ls-remote', 'ssh://localhost/x']],
  },
  'git: hooksPath in such a folder': {
    files: {
      ...REPOSITORY,
      config: gitConfig('\thooksPath = h\n'),
      'h/post-commit': '#!/bin/sh\ntouch ran\n',
    },
    found: ['config', 'h/post-commit'],
    commands: [
      ['chmod', '+x', 'h/post-commit'],
      ['git', 'commit', '--allow-empty', '-m', 'x'],
    ],
  },
  'git: an alias in included settings': {
    files: { 'settings.inc': '[alias]\n\thello = !touch ran\n' },
    commands: [['git', 'init', '-q'], INCLUDE, ['git', 'hello']],
  },
  'git: a filter that .gitattributes names': {
    files: {
      'settings.inc': '[filter "x"]\n\tclean = "touch ran; cat"\n',
      '.gitattributes': '* filter=x\n',
      a: 'x',
    },
    found: ['settings.inc', '.gitattributes'],
    commands: [['git', 'init', '-q'], INCLUDE, ['git', 'add', 'a']],
  },
  'git: settings that include others': {
    files: { 'settings.inc': '[include]\n\tpath = b\n', b: '[core]\n\tfsmonitor = "touch ran; false"\n' },
    commands: [['git', 'init', '-q'], INCLUDE, ['git', 'status']],
  },
  'npm: scripts': {
    files: { 'package.json': '{"name":"x","version":"1.0.0","scripts":{"preinstall":"touch ran"}}' },
    commands: [['npm', 'install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts=false']],
  },
  'make: Makefile': { files: { Makefile: 'all:\n\ttouch ran\n' }, commands: [['make']] },
  'make: an included file': {
    files: { Makefile: 'include a.mk\n', 'a.mk': 'X := $(shell touch ran)\nall:\n' },
    commands: [['make', '-n']],
  },
  'cmake: CMakeLists.txt': {
    files: {
      'CMakeLists.txt':
        'cmake_minimum_required(VERSION 3.5)\nproject(x NONE)\nexecute_process(COMMAND touch ran)\n',
    },
    commands: [['cmake', '.']],
  },
  'python: sitecustomize.py': {
    files: { 'sitecustomize.py': 'open("ran", "w")\n' },
    commands: [['python3', '-c', '']],
    env: { PYTHONPATH: '.' },
  },
  'python: a .pth file': {
    files: { 'x.pth': 'import os; open("ran", "w")\n' },
    commands: [['python3', '-c', 'import site; site.addsitedir(".")']],
  },
  'pytest: conftest.py': {
    files: { 'conftest.py': 'open("ran", "w")\n' },
    commands: [['pytest', '-q']],
  },
  'pytest: pyproject.toml': {
    files: {
      'pyproject.toml': '[tool.pytest.ini_options]\naddopts = "-p plugin"\npythonpath = "."\n',
      'plugin.py': 'open("ran", "w")\n',
    },
    found: ['pyproject.toml'],
    commands: [['python3', '-m', 'pytest', '-q']],
  },
  'bash: .bashrc': { files: { '.bashrc': 'touch ran\n' }, commands: [['bash', '-ic', 'true']], isHome: true },
  'bash: .profile': {
    files: { '.profile': 'touch ran\n' },
    commands: [['bash', '-lc', 'true']],
    isHome: true,
  },
  'gdb: .gdbinit': {
    files: { '.gdbinit': 'shell touch ran\n' },
    commands: [['gdb', '-batch', '-iex', 'set auto-load safe-path /']],
  },
  'vim: .exrc': {
    files: { '.exrc': 'call writefile([], "ran")\n' },
    commands: [['vim', '-T', 'dumb', '--not-a-term', '--cmd', 'set exrc', '-c', 'qa']],
  },
  'cargo: .cargo/config.toml': {
    files: {
      '.cargo/config.toml': '[alias]\nx = "build"\n[build]\nrustc-wrapper = "./w"\n',
      w: '#!/bin/sh\ntouch ran\nexec "$@"\n',
      'Cargo.toml': '[package]\nname = "x"\nversion = "0.1.0"\n[lib]\npath = "l.rs"\n',
      'l.rs': '',
    },
    found: ['.cargo/config.toml', 'w', 'Cargo.toml'],
    commands: [
      ['chmod', '+x', 'w'],
      ['cargo', 'check', '--offline', '-q'],
    ],
  },
  'cargo: build.rs, also under another name': {
    files: {
      'Cargo.toml': '[package]\nname = "x"\nversion = "0.1.0"\nbuild = "b.rs"\n[lib]\npath = "l.rs"\n',
      'b.rs': 'fn main() { std::fs::write("ran", "").unwrap(); }',
      'l.rs': '',
    },
    found: ['Cargo.toml'],
    commands: [['cargo', 'check', '--offline', '-q']],
  },
};

const hasProgram = (name: string): boolean =>
  spawnSync(name, ['--version'], { timeout: 20_000 }).status === 0;

describe('programs that run files', () => {
  for (const [title, { files, found = Object.keys(files), commands, env, isHome }] of Object.entries(CASES)) {
    const program = commands.at(-1)?.[0] ?? '';
    it.skipIf(!hasProgram(program))(`[T43] ${title}`, { timeout: 60_000 }, async () => {
      const folder = await tempFolder();
      await writeTree(folder, files);
      for (const [name, ...args] of commands)
        spawnSync(name, args, {
          cwd: folder,
          env: { ...process.env, ...IDENTITY, ...env, ...(isHome ? { HOME: folder } : {}) },
          timeout: 50_000,
        });
      expect(existsSync(join(folder, 'ran'))).toBe(true);
      const isFound = (path: string): boolean =>
        findRunner({ segments: path.split('/'), content: Buffer.from(files[path] ?? '') }) !== undefined;
      expect(found.filter((path) => !isFound(path))).toEqual([]);
    });
  }

  it.skipIf(!hasProgram('git'))(
    '[T43] git: the smallest folder that git takes for a repository is one for us',
    async () => {
      const names = ['HEAD', 'config', 'objects', 'refs', 'commondir'];
      const all = [...Array(1 << names.length).keys()].map((bits) =>
        names.filter((_, at) => bits & (1 << at)),
      );
      for (const parts of all) {
        const folder = await tempFolder();
        const text = {
          HEAD: 'ref: refs/heads/main\n',
          config: '[core]\n\tbare = true\n',
          commondir: '../o\n',
        };
        await writeTree(folder, {
          'o/objects/x': '',
          'o/refs/x': '',
          'r/.keep': '',
          ...Object.fromEntries(
            parts.map((name) => (name in text ? [`r/${name}`, text[name as 'HEAD']] : [`r/${name}/x`, ''])),
          ),
        });
        const cwd = join(folder, 'r');
        const isRepository = spawnSync('git', ['rev-parse', '--git-dir'], { cwd }).status === 0;
        const exists = (segments: readonly string[]) => {
          const [last = ''] = segments.slice(-1);
          return parts.includes(last) ? (last in text ? 'file' : 'folder') : undefined;
        };
        if (isRepository) expect([parts, isGitFolder(['r', 'x'], exists)]).toEqual([parts, true]);
      }
    },
  );
});
