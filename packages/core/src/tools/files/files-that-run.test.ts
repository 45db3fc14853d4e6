import { access, chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { call } from '../../testing/models/scripted-model.ts';
import { rigFor } from '../../testing/rigs/branching-run.ts';

describe('files that run later', () => {
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

  it.each([
    ['HEAD', 'config', 'objects/x', 'refs/x'],
    ['config', 'objects/x', 'refs/x', 'HEAD'],
    ['refs/x', 'HEAD', 'objects/x', 'config'],
    ['objects/x', 'refs/x', 'config', 'head'],
  ])(
    '[T43] never completes a git folder under another name, in this order: %s %s %s %s',
    async (...parts) => {
      const rig = await rigFor([...parts.map((part) => write(`data/${part}`)), 'Well.'], {
        settings: { tools: { approval: 'autopilot' } },
        project: { 'data/Readme.md': 'x\n' },
      });
      await rig.engine.start();
      const codes = rig.eventsOf('tool.ended').map(({ code }) => code);
      const isComplete = (await Promise.all(parts.map((part) => isThere(rig.project, `data/${part}`)))).every(
        Boolean,
      );
      expect(codes).toContain('E_SANDBOX_VIOLATION');
      expect(isComplete).toBe(false);
    },
  );

  it('[T43] never writes into a repository that is not called .git', async () => {
    const project = {
      'r/HEAD': 'ref: refs/heads/main\n',
      'r/objects/x': '',
      'r/refs/x': '',
      'c/HEAD': 'x',
      'c/commondir': 'y',
    };
    const rig = await rigFor(
      [write('r/config'), write('r/hooks/post-checkout'), write('c/x/y'), write('d/x'), 'Well.'],
      {
        settings: { tools: { approval: 'autopilot' } },
        project,
      },
    );
    await rig.engine.start();
    expect(rig.eventsOf('tool.ended').map(({ code }) => code)).toEqual([
      ...Array<string>(3).fill('E_SANDBOX_VIOLATION'),
      undefined,
    ]);
  });

  it('[T43] requires approval for settings that git runs, whatever their name', async () => {
    const content = '[core]\n\thooksPath = x\n';
    const rig = await rigFor([call('fs_write', { path: '@project/notes/config', content }), 'Well.'], {
      settings: { tools: { approval: 'autopilot' } },
    });
    await rig.engine.start();
    expect(rig.eventsOf('approval.requested')).toMatchObject([{ runsLater: 'hook' }]);
  });

  it('[T43] requires approval for names that a person listed in the settings', async () => {
    const rig = await rigFor([write('ops/deploy.sql'), 'Well.'], {
      settings: { tools: { approval: 'autopilot', fs: { runsLaterPatterns: ['deploy*'] } } },
    });
    await rig.engine.start();
    expect(rig.eventsOf('approval.requested')).toMatchObject([{ runsLater: 'listed' }]);
  });

  it('[T43] requires approval for instructions to assistants, as a class of their own', async () => {
    const rig = await rigFor([write('AGENTS.md'), 'Well.'], {
      settings: { tools: { approval: 'autopilot' } },
    });
    await rig.engine.start();
    expect(rig.eventsOf('approval.requested')).toMatchObject([{ runsLater: 'instructions' }]);
  });
});

async function isThere(folder: string, path: string): Promise<boolean> {
  return access(join(folder, path)).then(
    () => true,
    () => false,
  );
}
