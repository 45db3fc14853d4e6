import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { WorkRecord } from '@crewagent/protocol/work';
import { describe, expect, it } from 'vitest';
import { driverPath } from '../../testing/driver-path.ts';
import { BOTH_KINDS, type CreateWork, sampleConversation } from '../../testing/sample-conversation.ts';
import { SAMPLE_PROJECT_ID, SAMPLE_RUN } from '../../testing/sample-record.ts';
import { tempFolder } from '../../testing/temp-folder.ts';
import { archiveConversation } from '../edit-work.ts';
import { toAddress, type WorkAddress } from '../work-address.ts';
import { toStored, withPhase } from '../work-records.ts';
import { readWork, updateWork } from './find-works.ts';
import { takeWorkLock } from './locks/work-lock.ts';
import { type DiskStore, openDiskStore } from './open-store.ts';
import { createWork } from './work-folders.ts';

const now = (): Date => new Date('2026-01-31T09:30:00.000Z');
const later = (): Date => new Date('2026-01-31T10:00:00.000Z');
const createStore = async (): Promise<DiskStore> => openDiskStore(join(await tempFolder(), 'store'));

interface Scene {
  readonly store: DiskStore;
  readonly record: WorkRecord;
  readonly address: WorkAddress;
  /** Path of the record. */
  readonly file: string;
}

async function storeWithOne(create: CreateWork): Promise<Scene> {
  const store = await createStore();
  const record = await create(store, { now });
  const address = toAddress(record);
  return { store, record, address, file: store.work(address).record };
}

async function storeWithConversation() {
  const store = await createStore();
  const record = await createWork(store, sampleConversation(), { now });
  return { store, record, address: toAddress(record) };
}

/** Resolves with the output of the process when it has exited. */
async function drive(driver: string, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [driver, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(0);
  return said;
}

/** The records below are as they were written when runs and conversations had separate schemas. */
const TOOLS = {
  fs: {
    enabled: true,
    maxReadBytes: 524_288,
    maxWriteBytes: 2_097_152,
    inlineReadBytes: 65_536,
    secretPatterns: ['*.key'],
  },
  mcp: { enabled: false, allowedServers: [] },
  approval: 'ask',
  artifactsDir: 'artifacts',
  strictState: false,
  strictOutputs: false,
  readAhead: false,
  toolTimeoutMs: 300_000,
};
const CONVERSATION_ID = '01890a5d-ac96-7bbd-8000-0000000000dd';
const SHARED = {
  model: { kind: 'provider', settings: { provider: 'generic', model: 'm' } },
  tools: TOOLS,
  limits: { maxTurns: 50, maxTokens: 1_000 },
  phase: 'WaitingUser',
  reason: { code: 'question', message: 'Which?', details: { id: 'q' } },
  createdAt: '2026-01-31T09:30:00.000Z',
  updatedAt: '2026-01-31T10:00:00.000Z',
};
const STORED_RUN = {
  schemaVersion: 1,
  runId: SAMPLE_RUN.workId,
  projectId: SAMPLE_PROJECT_ID,
  conversationId: CONVERSATION_ID,
  packageHash: 'a'.repeat(64),
  packageName: 'sample',
  packageVersion: '1.0.0',
  workflowRef: 'workflow.md',
  workflowTitle: 'Sample',
  activeAgentId: 'analyst',
  context: { scope: 'node' },
  ...SHARED,
};
const { conversationId: _, ...STORED_LONE_RUN } = STORED_RUN;
const STORED_CONVERSATION = {
  schemaVersion: 1,
  conversationId: CONVERSATION_ID,
  projectId: SAMPLE_PROJECT_ID,
  kind: 'agent',
  title: 'The harbour',
  isRenamed: true,
  agent: {
    agentId: 'bob',
    name: 'Bob',
    title: 'Scrum master',
    icon: '🏃',
    package: { name: 'sample', version: '1.0.0', hash: 'a'.repeat(64) },
  },
  activeRunId: SAMPLE_RUN.workId,
  archivedAt: '2026-02-01T00:00:00.000Z',
  ...SHARED,
};

/** Settings that earlier versions did not have, with their defaults. */
function withNewSettings(stored: typeof SHARED): typeof SHARED {
  const { fs } = stored.tools;
  return { ...stored, tools: { ...stored.tools, fs: { ...fs, runsLaterPatterns: [] } as typeof fs } };
}

describe('a record of an earlier version', () => {
  const conversation: WorkAddress = {
    projectId: SAMPLE_PROJECT_ID,
    workId: CONVERSATION_ID,
    isRun: false,
  };
  const cases: [what: string, address: WorkAddress, stored: object, named: object][] = [
    [
      'a run of a conversation',
      SAMPLE_RUN,
      STORED_RUN,
      { workId: SAMPLE_RUN.workId, parentId: CONVERSATION_ID, kind: 'workflow', packageName: 'sample' },
    ],
    ['a run', SAMPLE_RUN, STORED_LONE_RUN, { workId: SAMPLE_RUN.workId, kind: 'workflow' }],
    [
      'a conversation',
      conversation,
      STORED_CONVERSATION,
      { workId: CONVERSATION_ID, kind: 'agent', activeRunId: SAMPLE_RUN.workId },
    ],
  ];
  it.each(cases)(
    '[A25] of %s is read, and written with the same field names',
    async (_what, address, stored, named) => {
      const store = await createStore();
      const { folder, record: file } = store.work(address);
      await mkdir(folder, { recursive: true });
      await writeFile(file, JSON.stringify(stored));
      const record = await readWork(store, address);
      expect(record).toMatchObject(named);
      expect(toAddress(record)).toEqual(address);
      const written = withNewSettings(stored as typeof SHARED);
      expect(toStored(record)).toEqual(written);
      for (const name of ['runId', 'conversationId']) expect(record).not.toHaveProperty(name);
      expect(record.parentId !== undefined).toBe('parentId' in named);
      await updateWork(store, address, (current) => withPhase(current, 'Running', undefined));
      const { reason: __, ...rest } = written;
      expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ ...rest, phase: 'Running' });
    },
  );
});

describe.each(BOTH_KINDS)('the record of a %s', (noun, create) => {
  it('[A25] is replaced atomically, with the original field names', async () => {
    const { store, address, record, file } = await storeWithOne(create);
    const { reason: __, ...rest } = record;
    const running = { ...rest, phase: 'Running', updatedAt: later().toISOString() };
    const changed = await updateWork(store, address, (current) => ({
      ...withPhase(current, 'Running', undefined),
      updatedAt: later().toISOString(),
    }));
    expect(changed).toEqual(running);
    expect(await readWork(store, address)).toEqual(running);
    const names = Object.keys(JSON.parse(await readFile(file, 'utf8')) as object);
    expect(names).toContain(`${noun}Id`);
    expect(names).not.toContain('workId');
    expect(names.includes('kind')).toBe(record.workflowRef === undefined);
  });

  it('[A25] is not written if nothing changes, or if it would be invalid', async () => {
    const { store, address, record, file } = await storeWithOne(create);
    const before = await stat(file, { bigint: true });
    expect(await updateWork(store, address, (current) => current)).toEqual(record);
    const { updatedAt: _, ...undated } = record;
    const unfit = {
      phase: { ...record, phase: 'Asleep' },
      unknown: { ...record, unknown: 1 },
      updatedAt: undated,
    };
    for (const [field, changed] of Object.entries(unfit))
      await expect(updateWork(store, address, () => changed as unknown as WorkRecord)).rejects.toThrow(field);
    expect((await stat(file, { bigint: true })).ino).toBe(before.ino);
    expect(await readWork(store, address)).toEqual(record);
  });

  it('[A25] that is damaged or newer is reported as one error, and not changed', async () => {
    const { store, address, record, file } = await storeWithOne(create);
    const stored = toStored(record);
    const name = `"${noun}\\.json" in the store`;
    const damages: [text: string, message: RegExp][] = [
      ['', new RegExp(`${name} is damaged \\(it is not JSON\\)`)],
      [`{"${noun}Id":`, /is damaged \(it is not JSON\)/],
      ['null', /is damaged \(/],
      [JSON.stringify({ ...stored, phase: 'Asleep' }), /is damaged \("phase": /],
      [JSON.stringify({ ...stored, schemaVersion: 2 }), /was written by a newer version/],
    ];
    for (const [text, message] of damages) {
      await writeFile(file, text);
      for (const attempt of [
        () => readWork(store, address),
        () => updateWork(store, address, (current) => ({ ...current })),
      ]) {
        await expect(attempt()).rejects.toMatchObject({
          code: 'STORE_DAMAGED',
          details: { file },
          message: expect.stringMatching(message) as string,
        });
      }
      expect(await readFile(file, 'utf8')).toBe(text);
    }
  });

  it('[O7] that was deleted is reported as one error, and not recreated', async () => {
    const { store, address } = await storeWithOne(create);
    await rm(store.work(address).folder, { recursive: true });
    const attempts = [
      () => readWork(store, address),
      () => updateWork(store, address, (current) => ({ ...current })),
      () => takeWorkLock(store, address),
    ];
    for (const attempt of attempts)
      await expect(attempt()).rejects.toMatchObject({
        code: `${noun.toUpperCase()}_NOT_FOUND`,
        message: `The ${noun} no longer exists.`,
      });
    expect(await readdir(store.worksFolder(SAMPLE_PROJECT_ID, address.isRun))).toEqual([]);
  });

  it('is reported as one error if the disk fails', async () => {
    const { store, address, file } = await storeWithOne(create);
    await rm(file);
    await mkdir(file);
    await expect(updateWork(store, address, (current) => ({ ...current }))).rejects.toMatchObject({
      code: 'DISK',
    });
  });
});

describe('changes of a record', () => {
  it('by several processes at once are all applied, no matter which process holds the lease', async () => {
    const driver = driverPath('conversation-driver');
    const { store, record, address } = await storeWithConversation();
    const { workId } = record;
    const lock = await takeWorkLock(store, address);
    const titles = Array.from({ length: 20 }, (_each, index) => `Title ${index}`);
    const work = [
      drive(driver, 'rename', store.root, workId, ...titles),
      drive(driver, 'count turns', store.root, workId, '20'),
    ];
    for (let count = 0; count < 20; count++) {
      await updateWork<ConversationRecord>(store, address, (current) => ({
        ...current,
        updatedAt: later().toISOString(),
      }));
      await archiveConversation(store.works, address, count % 2 === 0, later);
    }
    await Promise.all(work);
    await lock.release();
    expect(await readWork(store, address)).toEqual({
      ...record,
      title: 'Title 19',
      isRenamed: true,
      reason: { code: 'reply', message: '20' },
      updatedAt: later().toISOString(),
    });
  });

  it('that one process makes at once are all applied', async () => {
    const { store, address } = await storeWithConversation();
    const letters = [...'abcdefghij'];
    const add = (letter: string): Promise<unknown> =>
      updateWork<ConversationRecord>(store, address, (current) => ({
        ...current,
        title: current.title + letter,
      }));
    await Promise.all(letters.map(add));
    const { title } = await readWork(store, address);
    expect([...title].sort()).toEqual(letters);
  });
});
