import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunRecord } from '@crewagent/protocol/run';
import { describe, expect, it } from 'vitest';
import { driverPath } from '../testing/driver-path.ts';
import { sampleConversation, sampleOutput } from '../testing/sample-conversation.ts';
import { SAMPLE_PROJECT_ID, sampleDraft } from '../testing/sample-record.ts';
import { readTree, tempFolder } from '../testing/temp-folder.ts';
import {
  createConversation,
  deleteConversation,
  readConversationRecord,
  runsOfConversation,
} from './conversation-store.ts';
import { listConversations } from './find-conversations.ts';
import { listRuns } from './find-runs.ts';
import { createStoreLayout, type StoreLayout } from './layout.ts';
import { takeRunLock } from './run-lock.ts';
import { openRunLog } from './run-log.ts';
import { createRun } from './run-store.ts';

const now = (): Date => new Date();

interface Scene {
  readonly store: StoreLayout;
  readonly record: ConversationRecord;
  readonly runs: readonly RunRecord[];
  /** Of nobody; the conversation entered it. */
  readonly visited: RunRecord;
}

/** A conversation with all it can have, and others beside it. */
async function scene(runCount = 3): Promise<Scene> {
  const store = createStoreLayout(join(await tempFolder(), 'store'));
  const visited = await createRun(store, sampleDraft(), { now });
  const record = await createConversation(store, sampleConversation(), { now });
  const { conversationId } = record;
  const runs: RunRecord[] = [];
  for (let count = 0; count < runCount; count++)
    runs.push(await createRun(store, sampleDraft({ conversationId }), { now }));
  const paths = store.conversation(record);
  const log = await openRunLog({ file: paths.log, outputs: paths.outputs, runId: conversationId, now });
  for (const { runId: enteredRunId } of [...runs, visited])
    log.append({ type: 'run.entered', enteredRunId, afterSeq: 0, title: 't' });
  log.append(sampleOutput(40_000));
  await log.close();
  await mkdir(join(paths.journal, 'blobs'), { recursive: true });
  await writeFile(join(paths.journal, 'journal.jsonl'), '{}');
  await writeFile(join(paths.state, 'notes.md'), conversationId);
  await writeFile(paths.stop, '');
  return { store, record, runs, visited };
}

/** Every path and content below the store in which one of these ids is. */
async function mentionsOf(store: StoreLayout, ids: readonly string[]): Promise<string[]> {
  const tree = Object.entries(await readTree(store.root));
  return tree
    .filter(([path, text]) => ids.some((id) => path.includes(id) || text.includes(id)))
    .map(([path]) => path);
}

const idsOf = ({ record, runs }: Scene): string[] => [
  record.conversationId,
  ...runs.map(({ runId }) => runId),
];

describe('a conversation that is deleted', () => {
  it('[V5] goes with everything that belongs to it, and with nothing else', async () => {
    const here = await scene();
    const { store, record, visited } = here;
    const other = await createConversation(store, sampleConversation(), { now });
    const runOfOther = await createRun(store, sampleDraft({ conversationId: other.conversationId }), { now });
    expect((await runsOfConversation(store, record)).map(({ runId }) => runId).sort()).toEqual(
      here.runs.map(({ runId }) => runId).sort(),
    );
    await deleteConversation(store, record);
    expect(await mentionsOf(store, idsOf(here))).toEqual([]);
    const left = await listConversations(store);
    expect(left.map(({ conversationId }) => conversationId)).toEqual([other.conversationId]);
    const runsLeft = (await listRuns(store)).map(({ runId }) => runId);
    expect(runsLeft.sort()).toEqual([visited.runId, runOfOther.runId].sort());
    const names = [
      ...(await readdir(store.runsFolder(SAMPLE_PROJECT_ID))),
      ...(await readdir(store.conversationsFolder(SAMPLE_PROJECT_ID))),
    ];
    expect(names.filter((name) => name.startsWith('.'))).toEqual([]);
    for (const use of [deleteConversation, readConversationRecord])
      await expect(use(store, record)).rejects.toMatchObject({ code: 'CONVERSATION_NOT_FOUND' });
  });

  it('[V5] goes when its record is damaged, and takes runs with it whose records are', async () => {
    const here = await scene(2);
    const { store, record, runs } = here;
    const [one, other] = runs as [RunRecord, RunRecord];
    await writeFile(store.conversation(record).record, 'rubbish');
    await writeFile(store.run(one).record, JSON.stringify({ ...one, schemaVersion: 9 }));
    await writeFile(store.run(other).record, `${JSON.stringify(other).slice(0, -9)}`);
    await deleteConversation(store, record);
    expect(await mentionsOf(store, idsOf(here))).toEqual([]);
  });

  it('[V6] stays as it is while somebody works on it or on one of its runs', async () => {
    const { store, record, runs } = await scene();
    const lockFiles = [store.conversation(record).lock, ...runs.map((run) => store.run(run).lock)];
    const contents = async (): Promise<string[]> => {
      const tree = Object.entries(await readTree(store.root));
      return tree.filter(([path]) => !path.endsWith('lock')).map(([path, text]) => `${path}\n${text}`);
    };
    const before = await contents();
    for (const file of lockFiles) {
      const lock = await takeRunLock(file);
      const deleting = deleteConversation(store, record);
      await expect(deleting).rejects.toMatchObject({ code: 'RUN_LOCKED' });
      await expect(deleting).rejects.toThrow(
        'This process is working on this run; wait for it, or stop it first.',
      );
      expect(await contents()).toEqual(before);
      await lock.release();
    }
    // Nobody is kept out by what was refused.
    for (const file of lockFiles) await (await takeRunLock(file)).release();
  });

  it('[V7] and was cut short is gone after deleting it again', async () => {
    const driver = driverPath('conversation-driver');
    const runCount = 12;
    for (const rest of [runCount - 1, 6, 1, 0]) {
      const here = await scene(runCount);
      const { store, record } = here;
      const child = spawn(process.execPath, [driver, 'delete', store.root, record.conversationId], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const closed = once(child, 'close');
      await once(child.stdout, 'data');
      while ((await runsOfConversation(store, record)).length > rest);
      child.kill('SIGKILL');
      await closed;
      const isThere = (await listConversations(store)).length === 1;
      if (isThere) await deleteConversation(store, record);
      else await createConversation(store, sampleConversation(), { now });
      expect(await mentionsOf(store, idsOf(here))).toEqual([]);
    }
  });

  it('[V7] is finished wherever it was cut short', async () => {
    const here = await scene(2);
    const { store, record, runs } = here;
    const gone = spawn(process.execPath, ['-e', '']);
    await once(gone, 'close');
    // One run is renamed and not yet removed, the other was removed.
    const doomed = join(store.runsFolder(SAMPLE_PROJECT_ID), `.removing-${gone.pid}-0123456789abcdef`);
    await mkdir(doomed);
    await writeFile(join(doomed, 'run.json'), JSON.stringify(runs[0]));
    for (const run of runs) await rm(store.run(run).folder, { recursive: true });
    await deleteConversation(store, record);
    expect(await mentionsOf(store, idsOf(here))).toEqual([]);
  });
});
