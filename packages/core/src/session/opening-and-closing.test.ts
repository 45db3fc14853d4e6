import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { CrewError } from '../base/crew-error.ts';
import { removeTree } from '../base/remove-tree.ts';
import { takeWorkLock } from '../store/disk/locks/work-lock.ts';
import { toAddress } from '../store/work-address.ts';
import { createScriptedModel } from '../testing/models/scripted-model.ts';
import { threadPackage } from '../testing/packages/thread-package.ts';
import { openCounted } from '../testing/rigs/counted-session.ts';
import { createDiskSessionRig, type DiskSessionRig } from '../testing/rigs/session-rig.ts';

const always = (line: string) => createScriptedModel(() => line);

describe('a model change', () => {
  it('[V32] applies to the thread and its runs, and is recorded', async () => {
    const rig = await createDiskSessionRig({ package: threadPackage(), model: always('Which?') });
    await rig.session.input('go');
    await rig.session.close();
    const { session, asked, events } = await openCounted(rig);
    await session.input('the first');
    await session.setModel({ model: 'other' });
    await session.input('the second');
    await session.input('/stop');
    await session.input('hello you there');
    expect(asked).toEqual(['rehearsal', 'other', 'other']);
    expect(events.flatMap((event) => (event.type === 'model.changed' ? event.model : []))).toEqual([
      { kind: 'provider', settings: { provider: 'generic', model: 'other' } },
    ]);
    expect(session.view.own.model).toEqual(session.record.model);
    expect((await rig.reload()).record.model).toEqual(session.record.model);
  });

  it('[V32] that fails changes nothing', async () => {
    const rig = await createDiskSessionRig({ package: threadPackage(), model: always('Which?') });
    await rig.session.input('go');
    await rig.session.close();
    const { session, asked, events } = await openCounted(rig);
    await expect(session.setModel({ model: 'missing' })).rejects.toMatchObject({ code: 'LLM_AUTH_FAILED' });
    await session.input('the first');
    expect(asked).toEqual(['rehearsal']);
    expect(events.map(({ type }) => type)).not.toContain('model.changed');
    expect((await rig.reload()).record.model).toEqual({ kind: 'rehearsal' });
  });
});

describe('opening and closing', () => {
  it('[V35] a closed conversation accepts nothing, and closing again is a no-op', async () => {
    const model = always('Hello.');
    const rig = await createDiskSessionRig({ package: threadPackage(), model });
    await Promise.all([rig.session.close(), rig.session.close()]);
    await rig.session.close();
    for (const line of ['hello you there', 'go', '/help'])
      await expect(rig.session.input(line)).rejects.toMatchObject({ code: 'RUN_NOT_READY' });
    await expect(rig.session.setModel({ model: 'other' })).rejects.toMatchObject({ code: 'RUN_NOT_READY' });
    expect(model.requests).toEqual([]);
    expect(rig.bugs).toEqual([]);
    expect((await rig.reopen()).session.mode).toBe('agent');
  });

  it('[V35] closing closes every model that was opened', async () => {
    const rig = await createDiskSessionRig({ package: threadPackage(), model: always('Which?') });
    await rig.session.close();
    const { session, open } = await openCounted(rig);
    await session.input('go');
    for (const model of ['one', 'two']) await session.setModel({ model });
    await session.input('go on');
    await session.setModel({ model: 'missing' }).catch(onlyCrewErrors);
    expect(open).toEqual(['two']);
    await session.close();
    await session.close();
    expect(open).toEqual([]);
    expect(rig.bugs).toEqual([]);
  });

  const issues = [
    ['project', (rig: DiskSessionRig) => rm(rig.project, { recursive: true }), 'FOLDER_NOT_FOUND'],
    [
      'package',
      (rig: DiskSessionRig) =>
        removeTree(rig.store.packages.folder(rig.session.record.agent?.package.hash ?? '')),
      'PACKAGE_NOT_FOUND',
    ],
  ] as const;
  for (const [what, harm, code] of issues) {
    it(`[V35] a conversation without its ${what} cannot be opened, and leaves no lock and no model open`, async () => {
      const rig = await createDiskSessionRig({ package: threadPackage(), model: always('Hello.') });
      await rig.session.close();
      await harm(rig);
      const open: string[] = [];
      await expect(openCounted(rig, { open })).rejects.toMatchObject({ code });
      expect(open).toEqual([]);
      const lock = await takeWorkLock(rig.store, toAddress(rig.session.record));
      await lock.release();
    });
  }
});

function onlyCrewErrors(error: unknown): void {
  if (!(error instanceof CrewError)) throw error;
}
