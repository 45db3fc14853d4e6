import { chmod, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApprovalResponse } from '@crewagent/protocol/approvals';
import { describe, expect, it } from 'vitest';
import { sha256Of } from '../base/sha256.ts';
import { openRunLog } from '../store/disk/log/run-log.ts';
import { call, createScriptedModel } from '../testing/models/scripted-model.ts';
import { diskRigFor, rigFor } from '../testing/rigs/branching-run.ts';
import type { DiskRunRig, RunRig } from '../testing/rigs/run-rig.ts';
import { INTERRUPTED_CALL } from './remember.ts';

const write = (path: string, content = 'approved\n') => call('fs_write', { path, content });
const PROJECT = {
  'notes/a.txt': 'old\n',
  'p.txt': 'old\n',
  'package.json': '{}\n',
  '.husky/pre-commit': 'hook\n',
  '.github/workflows/a.txt': 'workflow\n',
};

async function replaceWithLink(path: string, target: string): Promise<void> {
  await rm(path, { recursive: true });
  await symlink(target, path);
}

const lastRequest = (rig: RunRig) => rig.eventsOf('approval.requested').at(-1);
const textOf = (rig: RunRig, path: string) =>
  readFile(join(rig.project, path), 'utf8').catch(() => undefined);

interface Swap {
  readonly path: string;
  readonly swap: (project: string) => Promise<unknown>;
  readonly changed: readonly string[];
  readonly target?: string;
  readonly runsLater?: string;
}

const SWAPS: Readonly<Record<string, Swap>> = {
  'a file became a link to a hook': {
    path: 'notes/a.txt',
    swap: (project) => replaceWithLink(join(project, 'notes/a.txt'), '../.husky/pre-commit'),
    changed: ['target', 'runner', 'content'],
    target: '.husky/pre-commit',
    runsLater: 'hook',
  },
  'its folder became a link to workflows of a build server': {
    path: 'notes/a.txt',
    swap: (project) => replaceWithLink(join(project, 'notes'), '.github/workflows'),
    changed: ['target', 'runner', 'content'],
    target: '.github/workflows/a.txt',
    runsLater: 'ci',
  },
  'a file became a link to package.json': {
    path: 'p.txt',
    swap: (project) => replaceWithLink(join(project, 'p.txt'), 'package.json'),
    changed: ['target', 'runner', 'content'],
    target: 'package.json',
    runsLater: 'scripts',
  },
  'it became executable': {
    path: 'notes/a.txt',
    swap: (project) => chmod(join(project, 'notes/a.txt'), 0o755),
    changed: ['runner', 'mode'],
    runsLater: 'executable',
  },
  'its permissions changed': {
    path: 'notes/a.txt',
    swap: (project) => chmod(join(project, 'notes/a.txt'), 0o600),
    changed: ['mode'],
  },
  'its content changed': {
    path: 'notes/a.txt',
    swap: (project) => writeFile(join(project, 'notes/a.txt'), 'new\n'),
    changed: ['content'],
  },
  'it was removed': {
    path: 'notes/a.txt',
    swap: (project) => rm(join(project, 'notes/a.txt')),
    changed: ['kind'],
  },
  'it was replaced by an equal file': {
    path: 'notes/a.txt',
    swap: async (project) => {
      await writeFile(join(project, 'copy'), 'old\n');
      await rename(join(project, 'copy'), join(project, 'notes/a.txt'));
    },
    changed: ['identity'],
  },
  'a file was created where none was': {
    path: 'notes/new.txt',
    swap: (project) => writeFile(join(project, 'notes/new.txt'), 'theirs\n'),
    changed: ['kind'],
  },
};

describe('an approval', () => {
  it.each(Object.entries(SWAPS))('[T100] is asked for again if %s before the answer', async (_, swap) => {
    const { path, changed, target = path, runsLater } = swap;
    const rig = await rigFor([write(path), 'Well.'], {
      project: PROJECT,
      settings: { tools: { approval: 'ask' } },
    });
    await rig.engine.start();
    expect(lastRequest(rig)).toMatchObject({ action: { files: [{ path: `@project/${path}` }] } });
    expect(lastRequest(rig)?.action).not.toHaveProperty('changed');
    await swap.swap(rig.project);
    const before = await textOf(rig, target);
    for (const decision of ['run', 'no'] as const) {
      await rig.engine.approve({ decision });
      expect(await textOf(rig, target)).toBe(before);
    }
    expect(rig.eventsOf('approval.requested')).toHaveLength(2);
    const request = lastRequest(rig);
    expect(request?.action).toMatchObject({ target: `@project/${target}`, changed });
    expect(request?.runsLater).toBe(runsLater);
    expect(rig.eventsOf('tool.ended')).toMatchObject([{ outcome: 'refused' }]);
  });

  it('[T100] is asked for again after a restart, and written once it is given for what is there', async () => {
    const rig = await rigFor([write('notes/a.txt'), 'Well.'], {
      project: PROJECT,
      settings: { tools: { approval: 'ask' } },
    });
    await rig.engine.start();
    await chmod(join(rig.project, 'notes/a.txt'), 0o755);
    const reopened = await rig.reopen(createScriptedModel(['Well.']));
    await reopened.engine.approve({ decision: 'once' });
    expect(reopened.engine.pending).toMatchObject({ action: { changed: ['runner', 'mode'] } });
    await reopened.engine.approve({ decision: 'once' });
    expect(await textOf(rig, 'notes/a.txt')).toBe('approved\n');
  });

  it('[T100] for longer never covers a file that runs later', async () => {
    const rig = await rigFor([write('p.txt'), write('p.txt', 'more\n'), 'Well.'], {
      project: PROJECT,
      settings: { tools: { approval: 'ask' } },
    });
    await rig.engine.start();
    await rig.engine.approve({ decision: 'always', reach: 'all' });
    expect(await textOf(rig, 'p.txt')).toBe('more\n');
    const other = await rigFor([write('notes/a.txt'), write('p.txt'), 'Well.'], {
      project: PROJECT,
      settings: { tools: { approval: 'ask' } },
    });
    await other.engine.start();
    await replaceWithLink(join(other.project, 'p.txt'), 'package.json');
    await other.engine.approve({ decision: 'run', reach: 'all' });
    expect(lastRequest(other)).toMatchObject({
      runsLater: 'scripts',
      action: { target: '@project/package.json' },
    });
    expect(await textOf(other, 'package.json')).toBe('{}\n');
  });

  it('[T100] given ahead is asked for again if the file has changed since', async () => {
    const model = createScriptedModel([
      { calls: ['notes/a.txt', 'p.txt'].flatMap((path) => write(path).calls ?? []) },
      'Well.',
    ]);
    const rig = await rigFor([], { model, project: PROJECT, settings: { tools: { approval: 'ask' } } });
    await rig.engine.start();
    const following = (lastRequest(rig)?.following ?? []).map(
      ({ callId }) => ({ callId, decision: 'once' }) as const,
    );
    expect(following).toHaveLength(1);
    await replaceWithLink(join(rig.project, 'p.txt'), '.husky/pre-commit');
    await rig.engine.approve({ decision: 'once', following });
    expect(await textOf(rig, 'notes/a.txt')).toBe('approved\n');
    expect(lastRequest(rig)).toMatchObject({
      runsLater: 'hook',
      action: { changed: ['target', 'runner', 'content'] },
    });
    expect(await textOf(rig, '.husky/pre-commit')).toBe('hook\n');
  });

  it('[T100] of a new file holds if only its folder was created meanwhile', async () => {
    const rig = await rigFor([write('deep/er/a.txt'), 'Well.'], { settings: { tools: { approval: 'ask' } } });
    await rig.engine.start();
    await mkdir(join(rig.project, 'deep/er'), { recursive: true });
    await rig.engine.approve({ decision: 'once' });
    expect(await textOf(rig, 'deep/er/a.txt')).toBe('approved\n');
  });

  /** A run that was killed while it made an approved change. `isEarlier`: its log is of an earlier version. */
  const killedRun = async (isEarlier: boolean): Promise<DiskRunRig> => {
    const rig = await diskRigFor([write('notes/a.txt')], {
      project: PROJECT,
      settings: { tools: { approval: 'ask' } },
    });
    await rig.engine.start();
    const request = lastRequest(rig);
    await rig.close();
    const callId = request?.callId ?? '';
    const log = await openRunLog({ file: rig.paths.log, runId: rig.record.workId, now: () => new Date() });
    const path = '@project/notes/a.txt';
    log.append({ type: 'approval.resolved', callId, tool: 'fs.write', path, decision: 'once' });
    log.append({ type: 'tool.started', callId, name: 'fs.write' });
    if (isEarlier)
      log.append({
        type: 'tool.ended',
        callId,
        name: 'fs.write',
        outcome: 'failed',
        code: 'ENGINE_ABORTED',
        message: INTERRUPTED_CALL,
        durationMs: 0,
        content: '{}',
      });
    await log.close();
    return rig.reopen(createScriptedModel([write('notes/a.txt'), 'Well.', 'Well.']));
  };

  it.each([false, true])(
    '[T100] that was interrupted holds for exactly the same change (earlier log: %s)',
    async (isEarlier) => {
      const same = await killedRun(isEarlier);
      await same.engine.resume();
      expect(same.eventsOf('approval.requested')).toEqual([]);
      expect(await textOf(same, 'notes/a.txt')).toBe('approved\n');
      if (!isEarlier) expect(same.eventsOf('tool.ended')[0]).toMatchObject({ isInterrupted: true });
      const other = await killedRun(isEarlier);
      await chmod(join(other.project, 'notes/a.txt'), 0o755);
      await other.engine.resume();
      expect(other.eventsOf('approval.requested')).toMatchObject([{ runsLater: 'executable' }]);
      expect(await textOf(other, 'notes/a.txt')).toBe('old\n');
    },
  );

  it('[L111] is for the preview that was shown, and says how much of it was seen', async () => {
    const model = createScriptedModel([
      { calls: ['notes/a.txt', 'p.txt'].flatMap((path) => write(path).calls ?? []) },
      'Well.',
    ]);
    const rig = await rigFor([], { model, project: PROJECT, settings: { tools: { approval: 'ask' } } });
    await rig.engine.start();
    const request = lastRequest(rig);
    const [next] = request?.following ?? [];
    const shownOf = (action = request?.action) => sha256Of(Buffer.from(action?.preview.text ?? ''));
    const callId = next?.callId ?? '';
    const shown = shownOf();
    const outdated = { code: 'APPROVAL_OUTDATED' };
    const approve = (response: ApprovalResponse) => async () => rig.engine.approve(response);
    await expect(approve({ decision: 'run', shown: shownOf(next?.action) })).rejects.toMatchObject(outdated);
    const following = [{ callId, decision: 'once', shown } as const];
    await expect(approve({ decision: 'once', shown, following })).rejects.toMatchObject(outdated);
    expect(rig.eventsOf('approval.resolved')).toEqual([]);
    expect(rig.engine.pending).toBeDefined();
    const seen = { callId, decision: 'once', shown: shownOf(next?.action), unseen: 3 } as const;
    await rig.engine.approve({ decision: 'once', shown, unseen: 1_203, following: [seen] });
    expect(rig.eventsOf('approval.resolved').map(({ unseen }) => unseen)).toEqual([3, 1_203]);
    expect([await textOf(rig, 'notes/a.txt'), await textOf(rig, 'p.txt')]).toEqual([
      'approved\n',
      'approved\n',
    ]);
  });
});
