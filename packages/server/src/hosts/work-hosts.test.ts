import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { driverPath } from '../../../core/src/testing/driver-path.ts';
import { hangBeforeHeaders, textReply } from '../../../core/src/testing/models/provider-replies.ts';
import { tempFolder } from '../../../core/src/testing/temp-folder.ts';
import {
  ANSWERS,
  addScriptedModel,
  createServerRig,
  prepare,
  type ServerRig,
  until,
} from '../testing/server-rig.ts';

async function whenIdle({ client }: ServerRig, workId: string, after = 1) {
  await until(
    client.works.events({ workId, query: { after: String(after) } }),
    ({ type, data }) => type === 'event' && data.type === 'phase.changed' && data.phase !== 'Running',
  );
  return (await client.works.show({ workId })).view;
}

/** A thread that fails when the file `fail` appears beside its code. */
async function failingThread(): Promise<{ readonly threadFile: string; fail(): Promise<void> }> {
  const folder = await tempFolder();
  const [threadFile, signal] = [join(folder, 'thread.mjs'), join(folder, 'fail')];
  await writeFile(
    threadFile,
    `import { existsSync } from 'node:fs';
    await import(${JSON.stringify(pathToFileURL(driverPath('work-thread')).href)});
    const timer = setInterval(() => {
      if (existsSync(${JSON.stringify(signal)})) throw new Error('a bug in a thread');
    }, 5);`,
  );
  return { threadFile, fail: () => writeFile(signal, '') };
}

describe('Works in threads', () => {
  it('a Work that was closed is asked for nothing, and closed twice', async () => {
    const rig = await createServerRig({ threadFile: driverPath('work-thread') });
    const { projectId } = await prepare(rig);
    const { workId } = await rig.client.works.create({
      body: { projectId, kind: 'chat', model: 'rehearsal' },
    });
    await rig.parts.openWorks.close();
    const work = await rig.parts.hosts.open({ workId, model: undefined });
    expect(await work.changes(workId)).toEqual([]);
    const closing = work.close();
    expect([await work.changes(workId), await work.pending()]).toEqual([undefined, undefined]);
    expect(await work.stop()).toMatchObject({ phase: 'WaitingUser' });
    await closing;
    await work.close();
    await expect(work.input('Hi')).rejects.toThrow('is not open');
  });

  it('[H25] a run goes from start to end, and its question is answered', async () => {
    const rig = await createServerRig({ threadFile: driverPath('work-thread') });
    const ready = await prepare(rig);
    const { workId } = await rig.client.works.create({ body: { ...ready, kind: 'run', model: 'rehearsal' } });
    const asked = await whenIdle(rig, workId);
    const { callId = '' } = asked.pending ?? {};
    const wrong = rig.client.works.answer({ workId, body: { callId: 'another', answers: ANSWERS } });
    await expect(wrong).rejects.toMatchObject({ code: 'RUN_NOT_READY' });
    const status = await rig.client.works.answer({ workId, body: { callId, answers: ANSWERS } });
    expect(status).toEqual({ workId, mode: 'run', phase: 'Running' });
    expect((await whenIdle(rig, workId, asked.lastSeq)).phase).toBe('Completed');
    const { changes } = await rig.client.works.changes({ workId });
    expect(changes.length).toBeGreaterThan(0);
    await expect(rig.client.works.dismissAgent({ workId })).rejects.toMatchObject({ code: 'USAGE' });
    expect(rig.bugs).toEqual([]);
  });

  it('[H25] a conversation talks, and is stopped', async () => {
    const rig = await createServerRig({ threadFile: driverPath('work-thread') });
    const { projectId } = await prepare(rig);
    await addScriptedModel(rig.client, [textReply('Hello.'), hangBeforeHeaders()]);
    const body = { projectId, kind: 'chat', model: 'scripted', input: 'Hi' } as const;
    const { workId } = await rig.client.works.create({ body });
    const said = await whenIdle(rig, workId);
    expect(said.timeline.map((item) => (item.kind === 'reply' ? item.text : item.kind))).toContain('Hello.');
    await rig.client.works.input({ workId, body: { text: 'And now?' } });
    expect(await rig.client.works.stop({ workId })).toMatchObject({ phase: 'WaitingUser' });
    expect(rig.bugs).toEqual([]);
  });

  it('[A12] a run whose thread failed is interrupted, and can be resumed', async () => {
    const { threadFile, fail } = await failingThread();
    const rig = await createServerRig({ threadFile, timing: { keepMs: 50 } });
    const ready = await prepare(rig);
    const provider = await addScriptedModel(rig.client, [hangBeforeHeaders()]);
    const { workId } = await rig.client.works.create({ body: { ...ready, kind: 'run', model: 'scripted' } });
    await expect.poll(() => provider.requests.length).toBe(1);
    await fail();
    const shown = async () => {
      const { work, isOpen } = await rig.client.works.show({ workId });
      // Whoever marks a Work as interrupted holds it for a moment.
      return { code: work.reason?.code, isOpen };
    };
    await expect.poll(shown, { timeout: 20_000 }).toEqual({ code: 'interrupted', isOpen: false });
    expect(rig.bugs.map(String)).toContain('Error: a bug in a thread');
    // No thread, no lock: also another process could resume it.
    const other = await rig.runtime.openRun(workId);
    await other.close();
  });
});
