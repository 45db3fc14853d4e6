import fs from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { call, createScriptedModel } from '../testing/models/scripted-model.ts';
import { diskRigFor, TO_THE_END } from '../testing/rigs/branching-run.ts';

type Fs = typeof fs;

/** Makes a function of `node:fs` fail as on a full disk if `isHit` returns true. */
function failOn<Name extends keyof Fs>(name: Name, isHit: (...args: unknown[]) => boolean): void {
  const original = fs[name] as unknown as (...args: unknown[]) => unknown;
  Object.assign(fs, {
    [name]: (...args: unknown[]): unknown => {
      if (isHit(...args)) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      return original(...args);
    },
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(fs, { [name]: original });
    syncBuiltinESMExports();
  });
}

describe('a disk error', () => {
  it('[L102] while the journal opens is reported as DISK', async () => {
    const rig = await diskRigFor(['Hello.']);
    await rig.engine.start();
    await rig.close();
    await mkdir(join(rig.paths.journal, 'journal.jsonl'), { recursive: true });
    await expect(rig.reopen()).rejects.toMatchObject({
      code: 'DISK',
      message: expect.stringContaining('could not be opened') as string,
    });
  });

  it('[L102] for a deleted state document names it, and the run continues once it is restored', async () => {
    const rig = await diskRigFor(['Hello.', ...TO_THE_END]);
    await rig.engine.start();
    const text = await rig.stateText();
    await rm(rig.paths.stateDocument);
    expect(await rig.engine.say('Well?')).toMatchObject({
      phase: 'WaitingUser',
      reason: { code: 'DISK', message: expect.stringContaining('workflow.md') as string },
    });
    expect(rig.bugs).toEqual([]);
    await rig.writeState(text);
    expect(await rig.engine.resume()).toEqual({ phase: 'Completed' });
  });

  it.each(['tool.started', 'tool.ended', 'artifact.written', 'approval.requested', 'question.asked'])(
    '[L102] in the log at %s, during a tool call, is reported as DISK',
    async (type) => {
      const rig = await diskRigFor(
        [
          call(type === 'question.asked' ? 'ui_ask_user' : 'fs_write', {
            questions: [{ id: 'q', prompt: 'Which?', type: 'text' }],
            path: type === 'approval.requested' ? 'notes.md' : 'artifacts/k.md',
            content: 'x',
          }),
          'Hm.',
        ].map((line, at) => (at === 0 && typeof line !== 'string' ? pruned(line, type) : line)),
        type === 'approval.requested' ? { settings: { tools: { approval: 'ask' } } } : {},
      );
      let isFull = true;
      failOn('writeSync', (_, data) => {
        const isHit = isFull && String(data).includes(`"type":"${type}"`);
        if (isHit) isFull = false;
        return isHit;
      });
      expect(await rig.engine.start()).toMatchObject({ phase: 'WaitingUser', reason: { code: 'DISK' } });
      expect(rig.bugs).toEqual([]);
    },
  );

  it('[L102] of any other kind is reported as DISK, not as a bug', async () => {
    const model = createScriptedModel([call('fs_list', { path: '@project' }), 'Hm.']);
    const broken = { ...model, chat: () => Promise.reject(Object.assign(new Error('io'), { code: 'EIO' })) };
    const rig = await diskRigFor([], { model: broken });
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'DISK' } });
    expect(rig.bugs).toEqual([]);
  });
});

/** A question has no path, a file no questions. */
function pruned(line: ReturnType<typeof call>, type: string): ReturnType<typeof call> {
  const args = line.calls?.[0]?.arguments as Record<string, unknown>;
  const { questions, ...file } = args;
  return call(line.calls?.[0]?.name ?? '', type === 'question.asked' ? { questions } : file);
}
