/** Tests that every adapter of `WorkStore` must pass. A new adapter runs this suite in its own test file. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import type { JournalRecord } from '@crewagent/protocol/journal';
import type { RunRecord } from '@crewagent/protocol/run';
import type { WorkRecord } from '@crewagent/protocol/work';
import { describe, expect, it, vi } from 'vitest';
import { sha256Of } from '../base/sha256.ts';
import { createUuidV7 } from '../base/uuid-v7.ts';
import { ChangedMeanwhile } from '../mounts/file-identity.ts';
import { createMountedFs } from '../mounts/mounted-fs.ts';
import { toAddress, type WorkAddress } from '../store/work-address.ts';
import { withPhase } from '../store/work-records.ts';
import type { WorkCopy, WorkStore } from '../store/work-store.ts';
import { SAMPLE_FACTS, sampleConversation } from './sample-conversation.ts';
import { SAMPLE_PROJECT_ID, sampleDraft } from './sample-record.ts';
import { tempFolder } from './temp-folder.ts';

const now = (): Date => new Date('2026-01-31T09:30:00.000Z');
const OTHER_PROJECT = SAMPLE_PROJECT_ID.replace(/aa$/, 'bb');
const warning = (message: string): RunFact => ({ type: 'warning', message });

export function testWorkStore(adapter: string, open: () => Promise<WorkStore>): void {
  const setUp = async () => {
    const works = await open();
    const maker = { now, newId: createUuidV7(now) };
    const run = await works.create(sampleDraft({ firstFacts: [warning('first')] }), maker);
    const conversation = await works.create(sampleConversation(), maker);
    return {
      works,
      maker,
      run,
      conversation,
      ofRun: toAddress(run),
      ofConversation: toAddress(conversation),
    };
  };
  const readAll = async (works: WorkStore, address: WorkAddress): Promise<RunEvent[]> => {
    const events: RunEvent[] = [];
    await works.readLog(address, (event) => events.push(event));
    return events;
  };

  describe(`Works in ${adapter}`, () => {
    it('[O1] are created atomically: record, first events and state document', async () => {
      const { works, run, conversation, ofRun, ofConversation } = await setUp();
      expect(await works.read(ofRun)).toEqual(run);
      expect(await works.read(ofConversation)).toEqual(conversation);
      expect(run).toMatchObject({ phase: 'WaitingUser', reason: { code: 'interrupted' } });
      expect((await readAll(works, ofRun)).map(({ type, seq }) => [type, seq])).toEqual([['warning', 1]]);
      expect((await readAll(works, ofConversation)).map(({ type }) => type)).toEqual(
        SAMPLE_FACTS.map(({ type }) => type),
      );
      const { text } = await works.openState(ofRun).read();
      expect(text).toContain(run.workId);
      expect(await readFile(join(await works.stateFolder(ofRun), 'workflow.md'), 'utf8')).toBe(text);
    });

    it('have a mark of their log that differs after each event, and none without a log', async () => {
      const { works, ofRun } = await setUp();
      const marks = [await works.logMark(ofRun)];
      const lease = await works.lease(ofRun);
      const log = await works.openLog(ofRun, { now });
      for (const message of ['a', 'b']) {
        log.append(warning(message));
        await log.sync();
        marks.push(await works.logMark(ofRun));
      }
      await log.close();
      await lease.release();
      expect(marks).not.toContain(undefined);
      expect(new Set(marks).size).toBe(3);
      expect(await works.logMark(ofRun)).toBe(marks.at(-1));
      expect(await works.logMark({ ...ofRun, workId: ofRun.projectId })).toBeUndefined();
    });

    it('[O1] are not created if publishing is rejected', async () => {
      const { works, maker } = await setUp();
      const before = await works.addresses();
      const publishing = () => Promise.reject(new Error('the project is gone'));
      await expect(works.create(sampleDraft(), { ...maker, publishing })).rejects.toThrow('gone');
      expect(await works.addresses()).toEqual(before);
    });

    it('[O1] are taken over from another store as a whole, and an older copy is replaced', async () => {
      const { works, run, ofRun } = await setUp();
      const workId = createUuidV7(now)();
      const record = { ...run, workId };
      const address = toAddress(record);
      const [state, image] = [Buffer.from('state'), Buffer.from('image')];
      const contents = new Map([state, image].map((content) => [sha256Of(content), content]));
      const step = { v: 1, id: 1, at: now().toISOString() } as const;
      const after = { sha256: sha256Of(image), bytes: image.length, kept: true };
      const begun: JournalRecord = {
        ...step,
        ...{ type: 'change.begun', path: '@project/a.md', before: null, after },
        ...{ tempName: '.a', madeFolders: [], callId: 'call' },
      };
      const events = (await readAll(works, ofRun)).map((event) => ({ ...event, runId: workId }));
      const more: RunEvent = { v: 1, seq: 2, ts: now().toISOString(), runId: workId, ...warning('more') };
      const copy: WorkCopy = {
        record,
        events,
        state: new Map([
          ['workflow.md', sha256Of(state)],
          ['notes/a.md', sha256Of(image)],
        ]),
        journal: [begun, { ...step, type: 'step.done', removedFolders: [] }],
        images: [sha256Of(image)],
        read: async (sha256) => contents.get(sha256) ?? Buffer.alloc(0),
      };
      await works.adopt({ ...copy, journal: [], images: [] });
      await works.adopt({ ...copy, events: [...events, more] });
      expect(await works.read(address)).toEqual(record);
      expect(await readAll(works, address)).toEqual([...events, more]);
      expect(await works.readLog(address, () => undefined)).toMatchObject({ isIntact: true, lastSeq: 2 });
      expect((await works.openState(address).read()).text).toBe('state');
      expect(await readFile(join(await works.stateFolder(address), 'notes', 'a.md'), 'utf8')).toBe('image');
      const { records, read } = await works.readJournal(address);
      expect(records).toEqual(copy.journal);
      expect(await read(sha256Of(image))).toEqual(image);
      expect(await read(sha256Of(state).replaceAll(/./g, '0'))).toBeUndefined();

      const lease = await works.lease(address);
      await expect(works.adopt(copy)).rejects.toMatchObject({ code: 'RUN_LOCKED' });
      const log = await works.openLog(address, { now });
      log.append(warning('goes on'));
      await log.close();
      await lease.release();
      expect((await readAll(works, address)).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    });

    it('[O27] are updated sequentially, each time from the latest record', async () => {
      const { works, ofRun } = await setUp();
      await Promise.all(
        Array.from({ length: 8 }, (_, count) =>
          works.update<RunRecord>(ofRun, (record) => ({
            ...record,
            workflowTitle: `${record.workflowTitle}${count}`,
          })),
        ),
      );
      const { workflowTitle } = await works.read(ofRun);
      expect([...workflowTitle.replace('Sample', '')].sort().join('')).toBe('01234567');
    });

    it('[O27] keep their record if a change is invalid', async () => {
      const { works, run, ofRun } = await setUp();
      const broken = works.update<RunRecord>(ofRun, (record) => ({ ...record, phase: 'Nowhere' as never }));
      await expect(broken).rejects.toThrow();
      expect(await works.read(ofRun)).toEqual(run);
    });

    it('are listed newest first, by project and kind, and found by id', async () => {
      const { works, maker, run, conversation } = await setUp();
      const other = await works.create(sampleDraft({ projectId: OTHER_PROJECT }), maker);
      const ids = async (filter?: Parameters<WorkStore['list']>[0]) =>
        (await works.list(filter)).map(({ workId }) => workId);
      expect(await ids()).toEqual([other.workId, conversation.workId, run.workId]);
      expect(await ids({ projectId: SAMPLE_PROJECT_ID })).toEqual([conversation.workId, run.workId]);
      expect(await ids({ isRun: true })).toEqual([other.workId, run.workId]);
      expect(await works.addresses({ isRun: false })).toEqual([toAddress(conversation)]);
      expect(await works.find(other.workId)).toEqual(toAddress(other));
      await expect(works.find(OTHER_PROJECT)).rejects.toMatchObject({ code: 'WORK_NOT_FOUND' });
    });

    it('that are missing are reported with the error code of their kind', async () => {
      const { works, run } = await setUp();
      const asConversation = { ...toAddress(run), isRun: false } as const;
      await expect(works.read(asConversation)).rejects.toMatchObject({ code: 'CONVERSATION_NOT_FOUND' });
      const missing = { ...toAddress(run), workId: OTHER_PROJECT };
      await expect(works.read(missing)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
      await expect(works.lease(missing)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
      expect(await works.isLeased(missing)).toBe(false);
      expect(await readAll(works, missing)).toEqual([]);
    });

    it('[O6] are leased by one holder at a time', async () => {
      const { works, ofRun, ofConversation } = await setUp();
      const lease = await works.lease(ofRun);
      expect(await works.isLeased(ofRun)).toBe(true);
      expect(await works.isLeased(ofConversation)).toBe(false);
      await expect(works.lease(ofRun)).rejects.toMatchObject({ code: 'RUN_LOCKED' });
      await lease.release();
      expect(await works.isLeased(ofRun)).toBe(false);
      await (await works.lease(ofRun)).release();
    });

    it('[O7] are removed with their children, and not at all while one of them is leased', async () => {
      const { works, maker, conversation, ofConversation, ofRun } = await setUp();
      const child = await works.create(sampleDraft({ parentId: conversation.workId }), maker);
      expect(await works.children(ofConversation)).toEqual([toAddress(child)]);
      const lease = await works.lease(toAddress(child));
      await expect(works.remove(ofConversation)).rejects.toMatchObject({ code: 'RUN_LOCKED' });
      expect(await works.read(ofConversation)).toEqual(conversation);
      await lease.release();
      await works.remove(ofConversation);
      expect(await works.addresses()).toEqual([ofRun]);
    });

    it('that were called, at any depth, are children of the root and of its parent', async () => {
      const { works, maker, conversation, ofConversation, ofRun } = await setUp();
      const root = await works.create(sampleDraft({ parentId: conversation.workId }), maker);
      const { workId: rootId } = root;
      const outer = await works.create(
        sampleDraft({ parentId: rootId, call: { rootId, nodeId: 'step-01', depth: 1 } }),
        maker,
      );
      const inner = await works.create(
        sampleDraft({ parentId: outer.workId, call: { rootId, nodeId: 'step-02', depth: 2 } }),
        { ...maker, newId: () => OTHER_PROJECT },
      );
      expect(inner.workId).toBe(OTHER_PROJECT);
      expect(await works.read(toAddress(inner))).toEqual(inner);
      const childIds = async (address: WorkAddress) =>
        (await works.children(address)).map(({ workId }) => workId).sort();
      expect(await childIds(toAddress(root))).toEqual([outer.workId, inner.workId].sort());
      expect(await childIds(ofConversation)).toEqual([rootId, outer.workId, inner.workId].sort());
      await works.remove(toAddress(root));
      expect(await works.addresses()).toEqual([ofConversation, ofRun]);
    });

    it('[O8] have a log that numbers events in order and can be read while it is written', async () => {
      const { works, ofRun } = await setUp();
      const known: RunEvent[] = [];
      const tail = works.tailLog(ofRun);
      const lease = await works.lease(ofRun);
      const log = await works.openLog(ofRun, { now, onEvent: (event) => known.push(event) });
      expect(known.map(({ seq }) => seq)).toEqual([1]);
      expect([log.lastSeq, log.brokenAt]).toEqual([1, undefined]);
      const second = log.append(warning('second'));
      expect(second).toMatchObject({ seq: 2, runId: ofRun.workId, ts: now().toISOString() });
      expect(log.stamp(warning('never stored')).seq).toBe(2);
      await log.sync();
      const seen: number[] = [];
      await tail.read(({ seq }) => seen.push(seq));
      log.append(warning('third'));
      await log.sync();
      await tail.read(({ seq }) => seen.push(seq));
      expect(seen).toEqual([1, 2, 3]);
      await log.close();
      expect(() => log.append(warning('late'))).toThrow();
      await lease.release();
      const reading = await works.readLog(ofRun, () => undefined);
      expect(reading).toEqual({ lastSeq: 3, isIntact: true });
    });

    it('[O8] have a log that can be read in pages', async () => {
      const { works, ofRun } = await setUp();
      const lease = await works.lease(ofRun);
      const log = await works.openLog(ofRun, { now });
      for (let count = 2; count <= 500; count++) log.append(warning(`event ${count}`));
      await log.sync();
      await log.close();
      await lease.release();
      const pages = works.pageLog(ofRun);
      const page = await pages.read({ after: 320, limit: 50 });
      expect(page.events.map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, at) => 321 + at));
      expect([page.lastSeq, page.isIntact]).toEqual([500, true]);
      expect((await pages.read({ after: 500, limit: 5 })).events).toEqual([]);
    });

    it('[O8] can be requested to stop; the request reaches the current lease holder only', async () => {
      const { works, ofRun } = await setUp();
      const lease = await works.lease(ofRun);
      await works.requestStop(ofRun);
      const onStop = vi.fn();
      const end = await works.watchStop(ofRun, onStop);
      await works.requestStop(ofRun);
      await vi.waitFor(() => expect(onStop).toHaveBeenCalledTimes(1), { timeout: 20_000 });
      end();
      await lease.release();
    });

    it('[O8] report changes since the last check', async () => {
      const { works, maker, run, conversation, ofRun, ofConversation } = await setUp();
      const watch = works.watch();
      const check = async () => {
        const { changed, removed } = await watch.poll({ isThorough: true });
        return [changed.map(({ workId }) => workId).sort(), removed.map(({ workId }) => workId)];
      };
      expect(await check()).toEqual([[run.workId, conversation.workId].sort(), []]);
      expect(await check()).toEqual([[], []]);
      await works.update(ofRun, (record: WorkRecord) => withPhase(record, 'Failed', undefined));
      const third = await works.create(sampleDraft(), maker);
      await works.remove(ofConversation);
      expect(await check()).toEqual([[run.workId, third.workId].sort(), [conversation.workId]]);
      expect(watch.list().map(({ workId }) => workId)).toEqual([third.workId, run.workId]);
    });

    it('[O8] give notice of changes until the notices are ended', async () => {
      const { works, maker, ofRun, ofConversation } = await setUp();
      const onChange = vi.fn();
      const end = works.watch().subscribe(onChange);
      const changes = [
        () => works.update(ofRun, (record: WorkRecord) => withPhase(record, 'Failed', undefined)),
        () => works.create(sampleDraft(), maker),
        () => works.remove(ofConversation),
      ];
      for (const change of changes) {
        onChange.mockClear();
        await change();
        await vi.waitFor(() => expect(onChange).toHaveBeenCalled(), { timeout: 10_000 });
      }
      end();
      onChange.mockClear();
      await works.update(ofRun, (record: WorkRecord) => withPhase(record, 'Completed', undefined));
      expect(onChange).not.toHaveBeenCalled();
    });

    it('[O27] replace their state document only if its content has the expected hash', async () => {
      const { works, ofRun } = await setUp();
      const lease = await works.lease(ofRun);
      const [one, other] = [works.openState(ofRun), works.openState(ofRun)];
      const before = await one.read();
      await other.read();
      const after = await one.replace('changed', before.sha256);
      expect(after).toEqual({ text: 'changed', sha256: sha256Of(Buffer.from('changed')) });
      expect(await other.read()).toEqual({ text: 'changed', sha256: after.sha256 });
      await expect(other.replace('lost', before.sha256)).rejects.toThrow(ChangedMeanwhile);

      const document = join(await works.stateFolder(ofRun), 'workflow.md');
      await writeFile(document, 'edited');
      await expect(one.replace('lost', after.sha256)).rejects.toThrow(ChangedMeanwhile);
      expect(await readFile(document, 'utf8')).toBe('edited');
      await rm(document);
      await writeFile(document, 'changed');
      const rewritten = await one.replace('again', after.sha256);
      expect(await readFile(document, 'utf8')).toBe('again');

      const racing = [one, other].map((state, index) => state.replace(`racing ${index}`, rewritten.sha256));
      const outcomes = await Promise.allSettled(racing);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const won = outcomes.findIndex(({ status }) => status === 'fulfilled');
      await lease.release();
      expect(await works.openState(ofRun).read()).toMatchObject({ text: `racing ${won}` });
    });

    it('store before-images of project files', async () => {
      const { works, ofRun } = await setUp();
      const lease = await works.lease(ofRun);
      const files = createMountedFs(
        { project: await tempFolder(), pkg: undefined, state: await works.stateFolder(ofRun) },
        () => false,
      );
      const options = { files, clock: now, warn: () => undefined };
      const journal = await works.openJournal(ofRun, options);
      const path = '@project/a.md';
      const change = { callId: 'c', path, before: undefined, mode: undefined, after: Buffer.from('new') };
      const recorded = await journal.begin(change);
      await files.replace({ mount: '@project', segments: ['a.md'] }, Buffer.from('new'), {
        expected: 'absent',
        tempName: recorded.tempName,
      });
      await recorded.done();
      const again = await works.openJournal(ofRun, options);
      expect(again.list()).toMatchObject([{ path, callId: 'c' }]);
      await lease.release();
      const images = await works.readImages(ofRun, { path, changeId: undefined, maxBytes: 1_000 });
      expect(images).toEqual({
        before: { kind: 'absent' },
        after: { kind: 'content', bytes: Buffer.from('new') },
      });
    });

    it('[O1] of a conversation have no workflow', async () => {
      const { works, ofConversation } = await setUp();
      const { kind }: ConversationRecord = await works.read(ofConversation);
      expect(kind).toBe('agent');
    });
  });
}
