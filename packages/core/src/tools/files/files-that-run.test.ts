import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rigFor } from '../../testing/branching-run.ts';
import { call } from '../../testing/models/scripted-model.ts';
import { findRunner, isGitFolder } from './files-that-run.ts';

const runnerOf = (path: string, mode?: number) => findRunner(path.split('/'), mode);

describe('files that run later', () => {
  it.each([
    ['hook', ['.husky/pre-commit', '.githooks/x', '.pre-commit-config.yaml', 'lefthook.yml', '.gitmodules']],
    [
      'editor',
      ['.vscode/tasks.json', 'a/.VSCODE/settings.json', '.idea/x.xml', 'my.code-workspace', '.vimrc'],
    ],
    ['assistant', ['.cursor/rules/x.mdc', '.claude/settings.json', '.mcp.json', '.cursorrules']],
    ['ci', ['.github/workflows/ci.yml', 'sub/.github/workflows/x.yml', '.gitlab-ci.yml', 'Jenkinsfile']],
    [
      'shell',
      ['.bashrc', '.zshenv', '.profile', 'Microsoft.PowerShell_profile.ps1', '.config/fish/config.fish'],
    ],
    [
      'build',
      ['Makefile', 'makefile', 'rules.mk', 'Dockerfile', 'compose.yaml', 'vite.config.ts', 'setup.py'],
    ],
    ['scripts', ['package.json', 'PACKAGE.JSON', 'packages/a/package.json', 'composer.json']],
    ['lockfile', ['package-lock.json', 'yarn.lock', 'pnpm-lock.yaml', 'Cargo.lock', 'go.sum']],
  ] as const)('[T43] %s: %j', (runsLater, paths) => {
    for (const path of paths) expect([path, runnerOf(path)]).toEqual([path, runsLater]);
  });

  it('[T43] include existing executables, but not other files', () => {
    expect(runnerOf('bin/tool', 0o100755)).toBe('executable');
    expect(runnerOf('bin/tool', 0o100644)).toBeUndefined();
    for (const path of [
      'docs/plan.md',
      'package.json.md',
      'my-package.json',
      '.github/README.md',
      'makefiles/a.md',
      'vscode/x',
      'config.ts',
    ])
      expect([path, runnerOf(path)]).toEqual([path, undefined]);
  });

  it('[T43] recognises the .git folder at any depth', () => {
    for (const path of ['.git', '.git/config', 'sub/.GIT/hooks/pre-commit'])
      expect(isGitFolder(path.split('/'))).toBe(true);
    for (const path of ['.gitignore', 'git/config', '.github/x'])
      expect(isGitFolder(path.split('/'))).toBe(false);
  });

  const write = (path: string) => call('fs_write', { path: `@project/${path}`, content: 'x\n' });

  it('[T43] always require approval, even under autopilot and after earlier consent', async () => {
    const rig = await rigFor([write('Makefile'), write('Makefile'), write('other.md'), 'Well.'], {
      settings: { tools: { approval: 'autopilot' } },
      project: { Makefile: 'all:\n' },
    });
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'approval' } });
    expect(rig.eventsOf('approval.requested')).toMatchObject([
      { action: { target: '@project/Makefile' }, runsLater: 'build' },
    ]);
    await rig.engine.approve({ decision: 'run' });
    const second = await rigFor([write('package.json'), write('package.json'), 'Well.']);
    await second.engine.start();
    await second.engine.approve({ decision: 'always' });
    expect(rig.engine.memory.grants).toEqual([]);
    expect(second.eventsOf('tool.ended').map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
    const third = await rigFor(
      [write('package.json'), call('fs_write', { path: '@project/package.json', content: 'y\n' }), 'Well.'],
      { settings: { tools: { approval: 'ask' } } },
    );
    await third.engine.start();
    await third.engine.approve({ decision: 'always' });
    expect(third.engine.memory.pending).toMatchObject({
      kind: 'approval',
      action: { target: '@project/package.json' },
    });
    await third.engine.approve({ decision: 'no' });
    expect(third.eventsOf('tool.ended').map(({ outcome }) => outcome)).toEqual(['ok', 'refused']);
  });

  it('[T43] requires approval for an executable, whatever its name', async () => {
    const rig = await rigFor([write('tool'), 'Well.'], { project: { tool: '#!/bin/sh\n' } });
    await chmod(join(rig.project, 'tool'), 0o755);
    await rig.engine.start();
    expect(rig.eventsOf('approval.requested')).toMatchObject([{ runsLater: 'executable' }]);
  });

  it('[T43] never writes into the .git folder', async () => {
    const rig = await rigFor([
      write('.git/config'),
      write('.git/hooks/pre-commit'),
      write('.GIT/config'),
      'Well.',
    ]);
    await rig.engine.start();
    expect(rig.eventsOf('tool.ended').map(({ code }) => code)).toEqual(Array(3).fill('E_SANDBOX_VIOLATION'));
  });
});
