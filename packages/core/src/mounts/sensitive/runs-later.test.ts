import { runsLaterSchema } from '@crewagent/protocol/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isGitFolder } from './git-folder.ts';
import { createRunnerCheck, findRunner } from './runs-later.ts';
import data from './sensitive-files.json';

const runnerOf = (path: string, mode?: number) => findRunner({ segments: path.split('/'), mode });
const runnerOfText = (path: string, text: string) =>
  findRunner({ segments: path.split('/'), content: Buffer.from(text, 'latin1') });

/** Words of a line as paths. */
const paths = (...lines: readonly string[]): string[] => lines.flatMap((line) => line.split(' '));

const TABLE = {
  instructions: paths(
    'AGENTS.md CLAUDE.md GEMINI.md sub/agents.md .github/copilot-instructions.md .github/instructions/ts.instructions.md',
    '.clinerules .clinerules/a.md .cursorrules .cursor/rules/x.mdc .windsurfrules opencode.json .goosehints .aider.chat.md',
    'CONVENTIONS.md .claude/skills/x/SKILL.md .claude/commands/x.md .junie/guidelines.md skills/x/SKILL.md',
  ),
  assistant: paths(
    '.claude/settings.json .mcp.json .cursor/mcp.json .codex/config.toml .gemini/settings.json',
  ),
  hook: paths(
    '.husky/pre-commit .githooks/x .pre-commit-config.yaml lefthook.yml .gitmodules .gitattributes hooks/pre-push',
    'tools/hooks/post-checkout .hg/hgrc .jj/config.toml .svn/hooks/pre-commit .gitconfig .git/config sub/.GIT/HEAD',
  ),
  editor: paths(
    '.vscode/tasks.json a/.VSCODE/settings.json .idea/x.xml my.code-workspace .vimrc .exrc .nvim.lua .devcontainer.json',
    '.devcontainer/devcontainer.json .dir-locals.el .ycm_extra_conf.py .gitpod.yml',
  ),
  ci: paths(
    '.github/workflows/ci.yml sub/.github/workflows/x.yml .gitlab-ci.yml Jenkinsfile .circleci/config.yml netlify.toml',
    'vercel.json .woodpecker.yml azure-pipelines.yml cloudbuild.yaml action.yml renovate.json buildspec.yml .travis.yml',
  ),
  shell: paths(
    '.bashrc .zshenv .profile Microsoft.PowerShell_profile.ps1 .config/fish/config.fish .gdbinit .lldbinit .Rprofile',
    'startup.jl jupyter_notebook_config.py .ipython/profile_default/startup/x.py crontab app.service app.desktop .envrc',
    'autorun.inf desktop.ini .inputrc .pdbrc .irbrc .psqlrc prog-gdb.py',
  ),
  build: paths(
    'Makefile makefile rules.mk Dockerfile compose.yaml vite.config.ts setup.py pyproject.toml Cargo.toml build.rs',
    '.cargo/config.toml pom.xml mvnw .mvn/extensions.xml build.gradle.kts .eslintrc.js .eslintrc.json .prettierrc.mjs',
    '.prettierrc .babelrc.js .mise.toml mise.toml .tool-versions flake.nix shell.nix default.nix tasks.py noxfile.py',
    'conftest.py tox.ini sitecustomize.py x.pth Rakefile Gemfile x.gemspec .rubocop.yml Directory.Build.props App.csproj',
    'x.targets nuget.config justfile Taskfile.yml .latexmkrc Vagrantfile Procfile Tiltfile BUILD.bazel webpack.prod.js',
    'Package.swift mix.exs binding.gyp .htaccess phpunit.xml terragrunt.hcl ansible.cfg jest.config.cjs CMakeLists.txt',
  ),
  scripts: paths(
    'package.json PACKAGE.JSON packages/a/package.json composer.json deno.json bunfig.toml .yarnrc.yml .npmrc .pnp.cjs',
    '.yarn/releases/yarn.cjs .pnpmfile.cjs',
  ),
  lockfile: paths(
    'package-lock.json yarn.lock pnpm-lock.yaml Cargo.lock go.sum go.mod requirements.txt uv.lock',
  ),
  executable: paths('run.bat tool.exe a/b.CMD __pycache__/x.pyc'),
} as const;

describe('files that run later', () => {
  it.each(Object.entries(TABLE))('[T43] %s: %j', (runsLater, names) => {
    for (const path of names) expect([path, runnerOf(path)]).toEqual([path, runsLater]);
  });

  it('[T43] include existing executables, but not other files', () => {
    expect(runnerOf('bin/tool', 0o100755)).toBe('executable');
    expect(runnerOf('bin/tool', 0o100644)).toBeUndefined();
    for (const path of paths(
      'docs/plan.md package.json.md my-package.json .github/README.md makefiles/a.md vscode/x config.ts README.md',
      'src/agents.ts notes.md data.json main.tf playbook.yml manage.py main.go app.py locales/en/project.json llms.txt',
      'tsconfig.json .editorconfig .gitignore .nvmrc script.sh x.ps1 index.html cargo.md claude.txt id_card.md',
    ))
      expect([path, runnerOf(path)]).toEqual([path, undefined]);
  });

  it('[T43] are listed in one data file, with what runs them and when', () => {
    for (const { class: name, by, when, files } of data.runsLater) {
      expect(runsLaterSchema.options).toContain(name);
      expect([by, when, files.join()].filter((text) => text === '')).toEqual([]);
    }
    const names = data.runsLater.map((list) => list.class);
    expect(new Set(names).size).toBe(names.length);
  });

  it('[T43] include names that a person listed in the settings', () => {
    const check = createRunnerCheck(['deploy-*.txt', 'ops/*.sql']);
    const found = ['deploy-1.txt', 'a/DEPLOY-x.TXT', 'ops/a.sql', 'a.sql', 'x.txt', 'Makefile'];
    expect(found.map((path) => check({ segments: path.split('/') }))).toEqual([
      'listed',
      'listed',
      'listed',
      undefined,
      undefined,
      'build',
    ]);
  });
});

/** Spellings of a name that some file system takes for the same. */
const spellingOf = (name: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.array(fc.boolean(), { minLength: name.length, maxLength: name.length }),
      fc.constantFrom('', '.', ' ', '. .', '::$DATA', ':x'),
      fc.constantFrom('NFC', 'NFD', 'NFKC' as const),
      fc.constantFrom('', '\u200c', '\ufeff', '\u00ad'),
      fc.nat(name.length),
    )
    .map(([upper, end, form, ignored, at]) => {
      const cased = [...name].map((char, index) => (upper[index] ? char.toUpperCase() : char)).join('');
      return (cased.slice(0, at) + ignored + cased.slice(at)).normalize(form) + end;
    });

const folder = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { maxLength: 4 });

describe('spellings of listed names', () => {
  const listed = Object.entries(TABLE).flatMap(([runsLater, names]) =>
    names.map((path) => [path, runsLater] as const),
  );

  it('[T43] are found in every spelling that a file system treats as the same, in any folder', () => {
    const spelled = fc
      .constantFrom(...listed)
      .chain(([path, runsLater]) =>
        fc.tuple(folder, fc.tuple(...path.split('/').map(spellingOf)), fc.constant(runsLater)),
      );
    fc.assert(
      fc.property(spelled, ([folders, segments, runsLater]) => {
        expect(findRunner({ segments: [...folders, ...segments] })).toBe(runsLater);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    ['GIT~1/config', 'hook'],
    ['VSCODE~1/tasks.json', 'editor'],
    ['PACKAG~1.JSO', 'scripts'],
    ['gitmod~2', 'hook'],
    ['GITHUB~1/WORKFL~1/ci.yml', 'ci'],
    ['notes~1.txt', undefined],
    ['package~', undefined],
  ])('[T43] short names of Windows: %s', (path, runsLater) => expect(runnerOf(path)).toBe(runsLater));
});

describe('files that run by their content', () => {
  it.each([
    ['config', '[core]\n\tfsmonitor = ./x\n', 'hook'],
    ['config', '[core] hooksPath=x', 'hook'],
    ['a/config', '[a][core]sshCommand = x', 'hook'],
    ['my.cfg', '\xef\xbb\xbf[filter "a]b"] clean = x\n', 'hook'],
    ['x.ini', '[diff "a[b"]\r\n\ttextconv = x\r\n', 'hook'],
    ['x.conf', '[MERGE "x"]\n driver = y', 'hook'],
    ['config', '[alias]\n st = !sh x', 'hook'],
    ['config', '[alias]\n st = status', undefined],
    ['config', '[include]\npath = ../x', 'hook'],
    ['config', '[core]\n bare = false\n[remote "origin"]\n url = https://x/y.git', undefined],
    ['setup.ini', '[server]\nport = 1\npager = no', undefined],
    ['manual.md', '[core]\n fsmonitor = x', undefined],
    ['tool', '#!/bin/sh\n', 'executable'],
    ['bin/tool', '#!/usr/bin/env node\n', 'executable'],
    ['tool.sh', '#!/bin/sh\n', undefined],
    ['analyse.py', '#!/usr/bin/env python3\n', undefined],
    ['tool.txt', '\x7fELF\x02\x01\x01\0', 'executable'],
    ['MZ.txt', 'MZ is a text', undefined],
    ['any.json', '{"scripts":{"postinstall":"x"}}', 'scripts'],
    ['any.jsonc', '{ // x\n "scripts" : {"a":"x"} }', 'scripts'],
    ['project.json', '{"targets":{"build":{"executor":"x"}}}', 'scripts'],
    ['t.json', '{"version":"2.0.0","tasks":[{"label":"x","command":"y"}]}', 'scripts'],
    ['locales/en/project.json', '{"scripts":"Scripts","tasks":{"title":"Tasks"},"targets":[1]}', undefined],
    ['x.json', '{"data":{"scripts":{}}}', undefined],
  ])('[T43] %s with %j: %s', (path, text, runsLater) => {
    expect(runnerOfText(path, text)).toBe(runsLater);
  });

  it('[T43] any bytes get an answer', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('config', 'a.json', 'x.ini', 'tool'),
        fc.uint8Array({ maxLength: 200 }),
        (name, content) => {
          expect([undefined, 'hook', 'scripts', 'executable']).toContain(
            findRunner({ segments: [name], content }),
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('git folders', () => {
  it('[T43] recognises the .git folder at any depth', () => {
    for (const path of ['.git', '.git/config', 'sub/.GIT/hooks/pre-commit', '.git./config', 'Git~1/config'])
      expect(isGitFolder(path.split('/'))).toBe(true);
    for (const path of ['.gitignore', 'git/config', '.github/x', 'HEAD', 'config'])
      expect(isGitFolder(path.split('/'))).toBe(false);
  });

  const PARTS = ['HEAD', 'config', 'objects/x', 'refs/x'];

  it('[T43] are recognised under any name, and before the file that completes them is written', () => {
    const order = fc.shuffledSubarray(PARTS, { minLength: 4 });
    fc.assert(
      fc.property(order, folder, fc.boolean(), (parts, folders, isLower) => {
        const existing = new Map<string, 'file' | 'folder'>();
        const exists = (segments: readonly string[]) => existing.get(segments.join('/').toLowerCase());
        const refused = parts.filter((part) => {
          const segments = [...folders, ...(isLower ? part.toLowerCase() : part).split('/')];
          if (isGitFolder(segments, exists)) return true;
          for (const depth of segments.keys())
            existing.set(
              segments
                .slice(0, depth + 1)
                .join('/')
                .toLowerCase(),
              depth === segments.length - 1 ? 'file' : 'folder',
            );
          return false;
        });
        const has = (part: string) => existing.has([...folders, ...part.split('/')].join('/').toLowerCase());
        expect(refused).not.toEqual([]);
        expect(has('HEAD') && (has('config') || (has('objects/x') && has('refs/x')))).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it('[T43] do not include folders that only look similar', () => {
    const exists = (segments: readonly string[]) =>
      ({ 'src/head': 'folder', 'src/config': 'folder', 'a/HEAD': 'folder', 'a/config': 'file' })[
        segments.join('/')
      ] as 'file' | 'folder' | undefined;
    for (const path of ['src/head/x.ts', 'src/config/x.ts', 'a/config', 'src/refs/x', 'src/objects/x'])
      expect([path, isGitFolder(path.split('/'), exists)]).toEqual([path, false]);
  });
});
