/**
 * A process that changes the conversations of a store until it is done or killed: `driver.js JOB STORE ARGUMENT…`.
 */
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import { updateWork } from '../../store/disk/find-works.ts';
import { takeWorkLock } from '../../store/disk/locks/work-lock.ts';
import { openRunLog } from '../../store/disk/log/run-log.ts';
import { openDiskStore } from '../../store/disk/open-store.ts';
import { createWork, deleteWork } from '../../store/disk/work-folders.ts';
import { renameConversation } from '../../store/edit-work.ts';
import { conversationBeside } from '../../store/work-address.ts';
import { sampleConversation, sampleOutput } from '../sample-conversation.ts';
import { SAMPLE_PROJECT_ID } from '../sample-record.ts';

const now = (): Date => new Date();
const say = (line: string): unknown => process.stdout.write(`${line}\n`);
const [job = '', root = '', workId = '', ...args] = process.argv.slice(2);
const store = openDiskStore(root);
const address = conversationBeside({ projectId: SAMPLE_PROJECT_ID }, workId);

const JOBS: Readonly<Record<string, () => Promise<void>>> = {
  async 'create forever'() {
    for (;;) say((await createWork(store, sampleConversation(), { now })).workId);
  },

  /** Alternates short and long results; some long ones repeat. */
  async 'append forever'() {
    const lock = await takeWorkLock(store, address);
    const { log: file, outputs } = store.work(address);
    const log = await openRunLog({ file, outputs, runId: workId, now });
    // The listener keeps a reference to the lock: an unreferenced lock would be garbage-collected and released.
    process.once('exit', () => void lock.release());
    for (let count = log.lastSeq; ; count++) {
      const letter = String.fromCharCode(97 + (count % 26));
      say(String(log.append(sampleOutput(count % 2 === 0 ? 40_000 : 100, letter)).seq));
      // Flushes standard output.
      await new Promise(setImmediate);
    }
  },

  async rename() {
    for (const title of args) await renameConversation(store.works, address, title);
  },

  /** Increments a counter in the record `args[0]` times. */
  async 'count turns'() {
    for (let count = 0; count < Number(args[0]); count++) {
      await updateWork<ConversationRecord>(store, address, (record) => ({
        ...record,
        reason: { code: 'reply', message: `${Number(record.reason?.message ?? 0) + 1}` },
      }));
    }
  },

  async delete() {
    say('begins');
    await deleteWork(store, address);
    say('done');
  },
};

await JOBS[job]?.();
