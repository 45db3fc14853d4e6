import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import type { RunRecord } from '@crewagent/protocol/run';
import { describe, expect, it } from 'vitest';
import { sampleConversation, sampleOutput } from '../testing/sample-conversation.ts';
import { sampleDraft } from '../testing/sample-record.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import {
  archiveConversation,
  createConversation,
  readConversationRecord,
  renameConversation,
  takeConversationLock,
  updateConversationRecord,
} from './conversation-store.ts';
import { sweepInterrupted, sweepInterruptedConversations } from './interrupted-runs.ts';
import { createStoreLayout, type StoreLayout } from './layout.ts';
import { takeRunLock } from './run-lock.ts';
import { openRunLog, readRunLog } from './run-log.ts';
import { createRun, readRunRecord, writeRunRecord } from './run-store.ts';

const now = (): Date => new Date('2026-01-31T09:30:00.000Z');
const later = (): Date => new Date('2026-01-31T10:00:00.000Z');

/** A run that says Running, with these facts in its log. */
async function leaveRunning(store: StoreLayout, facts: readonly RunFact[] = []): Promise<RunRecord> {
  const { reason: _, ...record } = await createRun(store, sampleDraft(), { now });
  const running: RunRecord = { ...record, phase: 'Running' };
  await writeRunRecord(store, running);
  const log = await openRunLog({ file: store.run(record).log, runId: record.runId, now });
  for (const fact of facts) log.append(fact);
  await log.close();
  return running;
}

const createStore = async (): Promise<StoreLayout> => createStoreLayout(join(await tempFolder(), 'store'));

async function typesIn(store: StoreLayout, record: RunRecord): Promise<string[]> {
  const types: string[] = [];
  const { isIntact } = await readRunLog(store.run(record).log, ({ type }) => types.push(type));
  expect(isIntact).toBe(true);
  return types;
}

describe('a run that was left in the middle', () => {
  it('[A12] waits for a person afterwards, in its log and in its record', async () => {
    const store = await createStore();
    const left = await leaveRunning(store, [{ type: 'run.resumed' }]);
    const [found] = await sweepInterrupted(store, { now: later });
    expect(found).toMatchObject({
      runId: left.runId,
      phase: 'WaitingUser',
      reason: { code: 'interrupted' },
      createdAt: left.createdAt,
      updatedAt: '2026-01-31T10:00:00.000Z',
    });
    expect(await readRunRecord(store, left)).toEqual(found);
    expect(await typesIn(store, left)).toEqual(['run.resumed', 'phase.changed']);
    expect(await sweepInterrupted(store, { now: later })).toEqual([]);
    expect(await typesIn(store, left)).toHaveLength(2);
  });

  it('[A12] is left alone while somebody works on it, or when it does not say Running', async () => {
    const store = await createStore();
    const busy = await leaveRunning(store);
    const waiting = await createRun(store, sampleDraft(), { now });
    const lock = await takeRunLock(store.run(busy).lock);
    expect(await sweepInterrupted(store, { now: later })).toEqual([]);
    expect(await readRunRecord(store, busy)).toEqual(busy);
    await lock.release();
    expect((await sweepInterrupted(store, { now: later })).map(({ runId }) => runId)).toEqual([busy.runId]);
    expect(await readRunRecord(store, waiting)).toEqual(waiting);
  });

  it('[A12] has the phase its log ends in, if that is a stop', async () => {
    const store = await createStore();
    const done = await leaveRunning(store, [{ type: 'phase.changed', phase: 'Completed' }]);
    const resumed = await leaveRunning(store, [
      { type: 'phase.changed', phase: 'WaitingUser', reason: { code: 'reply', message: '' } },
      { type: 'run.resumed' },
    ]);
    const found = await sweepInterrupted(store, { now: later });
    expect(found.map(({ runId }) => runId)).toEqual([resumed.runId]);
    expect(await readRunRecord(store, done)).toMatchObject({ phase: 'Completed' });
    expect(await typesIn(store, done)).toEqual(['phase.changed']);
  });

  it('[A12] does not keep others from being found when its log cannot be opened', async () => {
    const store = await createStore();
    const [one, other] = [await leaveRunning(store), await leaveRunning(store)];
    const { log, logs, folder } = store.run(one);
    await rename(logs, join(folder, 'elsewhere'));
    await writeFile(logs, 'a file');
    const problems: string[] = [];
    const found = await sweepInterrupted(store, {
      now: later,
      onProblem: (runId, error) => problems.push(`${runId} ${error.code}`),
    });
    expect(found.map(({ runId }) => runId)).toEqual([other.runId]);
    expect(problems).toEqual([`${one.runId} DISK`]);
    expect(await readRunRecord(store, one)).toEqual(one);
    await expect(readFile(log)).rejects.toThrow();
  });
});

/** A conversation that says Running, with these facts in its log. */
async function leaveTalking(store: StoreLayout, facts: readonly RunFact[] = []): Promise<ConversationRecord> {
  const record = await createConversation(store, sampleConversation(), { now });
  const { log: file, outputs } = store.conversation(record);
  const log = await openRunLog({ file, outputs, runId: record.conversationId, now });
  for (const fact of facts) log.append(fact);
  await log.close();
  return updateConversationRecord(store, record, (current) => ({ ...current, phase: 'Running' }));
}

describe('a conversation that was left in the middle', () => {
  const running: RunFact = { type: 'phase.changed', phase: 'Running' };
  const sweep = (store: StoreLayout): Promise<ConversationRecord[]> =>
    sweepInterruptedConversations(store, { now: later });

  it('[V13] waits for a person afterwards, in its log and in its record', async () => {
    const store = await createStore();
    const left = await leaveTalking(store, [running, sampleOutput(40_000)]);
    const archived = await leaveTalking(store, [running]);
    await archiveConversation(store, archived, true, now);
    const found = await sweep(store);
    expect(found).toHaveLength(2);
    expect(found[0]).toEqual({
      ...left,
      phase: 'WaitingUser',
      reason: {
        code: 'interrupted',
        message: 'The process that worked on this conversation ended in the middle of it.',
      },
    });
    expect(await readConversationRecord(store, left)).toEqual(found[0]);
    const events: RunEvent[] = [];
    const { log, outputs } = store.conversation(left);
    await readRunLog(log, (event) => events.push(event), { outputs });
    expect(events.at(-1)).toMatchObject({
      type: 'phase.changed',
      phase: 'WaitingUser',
      reason: { code: 'interrupted' },
      runId: left.conversationId,
    });
    expect(await sweep(store)).toEqual([]);
    expect(await sweepInterrupted(store, { now: later })).toEqual([]);
  });

  it('[V13] is left alone while somebody works on it, or when it does not say Running', async () => {
    const store = await createStore();
    const busy = await leaveTalking(store, [running]);
    const waiting = await createConversation(store, sampleConversation(), { now });
    const lock = await takeConversationLock(store, busy);
    expect(await sweep(store)).toEqual([]);
    expect(await readConversationRecord(store, busy)).toEqual(busy);
    await lock.release();
    expect((await sweep(store)).map(({ conversationId }) => conversationId)).toEqual([busy.conversationId]);
    expect(await readConversationRecord(store, waiting)).toEqual(waiting);
  });

  it('[V13] has the phase its log ends in, if that is a stop', async () => {
    const store = await createStore();
    const reason = { code: 'reply', message: '' };
    const stopped = await leaveTalking(store, [
      running,
      { type: 'phase.changed', phase: 'WaitingUser', reason },
    ]);
    expect(await sweep(store)).toEqual([]);
    expect(await readConversationRecord(store, stopped)).toEqual({
      ...stopped,
      phase: 'WaitingUser',
      reason,
    });
  });

  it('[V13] keeps the name a person gives it meanwhile, and is swept with what was left half made', async () => {
    const store = await createStore();
    const left = await leaveTalking(store, [running]);
    const gone = spawn(process.execPath, ['-e', '']);
    await once(gone, 'close');
    const conversations = store.conversationsFolder(left.projectId);
    await mkdir(join(conversations, `.creating-${gone.pid}-0123456789abcdef`));
    await Promise.all([sweep(store), renameConversation(store, left, 'Mine')]);
    expect(await readConversationRecord(store, left)).toMatchObject({ title: 'Mine', phase: 'WaitingUser' });
    expect(await readdir(conversations)).toEqual([left.conversationId]);
  });
});
