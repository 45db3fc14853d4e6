import { join } from 'node:path';
import { isDelta } from '@crewagent/protocol/event-kinds';
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLogTail, openRunLog } from '../../../core/src/store/disk/log/run-log.ts';
import { tempFolder } from '../../../core/src/testing/temp-folder.ts';
import { createLogChannel, type LogChannel } from './log-channel.ts';

const WORK_ID = '01a1de7a-846b-7205-b1df-136fc8f565ee';

const FACTS: readonly RunFact[] = [
  { type: 'turn.started', turn: 1, agentId: 'a', requestBytes: 1, requestSha256: '', estimatedTokens: 1 },
  { type: 'message.delta', turn: 1, text: 'one ' },
  { type: 'message.delta', turn: 1, text: 'two ' },
  { type: 'reasoning.delta', turn: 1, text: 'hm ' },
  { type: 'message.partial', turn: 1, text: 'one ' },
  { type: 'message.completed', turn: 1, role: 'assistant', purpose: 'reply', content: 'one two' },
  { type: 'warning', message: 'Something happened.' },
  { type: 'phase.changed', phase: 'WaitingUser' },
];

/** What a person or another process does between two events. */
const ASIDES = ['nothing', 'ask', 'read', 'leave', 'close'] as const;

describe('a Work that nobody watches', () => {
  it('[H40] shows whoever asks, at any moment, what a reader from the beginning sees', async () => {
    const steps = fc.array(fc.tuple(fc.nat(FACTS.length - 1), fc.constantFrom(...ASIDES)), {
      minLength: 1,
      maxLength: 30,
    });
    await fc.assert(fc.asyncProperty(steps, compareViews), { numRuns: 60 });
  });
});

async function compareViews(steps: readonly (readonly [number, (typeof ASIDES)[number]])[]): Promise<void> {
  const file = join(await tempFolder(), 'log.jsonl');
  const log = await openRunLog({ file, runId: WORK_ID, now: () => new Date(0) });
  const listeners = new Set<(event: RunEvent) => void>();
  const subscribe = (listener: (event: RunEvent) => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const open = (): LogChannel =>
    createLogChannel({
      workId: WORK_ID,
      openTail: () => createLogTail(file),
      redact: (text) => text,
      onBug: (_, error) => expect.unreachable(String(error)),
      onIdle: () => undefined,
    });
  const [watched, unwatched] = [open(), open()];
  const reader = await watched.open(undefined, () => undefined);
  onTestFinished(() => void reader.cancel().catch(() => undefined));
  const detachWatched = await watched.attach(subscribe);
  let detach = await unwatched.attach(subscribe);
  let late: ReadableStream<Uint8Array> | undefined;
  for (const [index, aside] of steps) {
    const fact = FACTS[index];
    if (!fact) continue;
    const event = isDeltaFact(fact) ? log.stamp(fact) : log.append(fact);
    for (const listener of listeners) listener(event);
    if (aside === 'ask') expect(await toShown(unwatched)).toEqual(await toShown(watched));
    if (aside === 'read') late ??= await unwatched.open(undefined, () => undefined);
    if (aside === 'leave') {
      await late?.cancel();
      late = undefined;
    }
    if (aside === 'close' && fact.type === 'phase.changed') {
      await detach();
      detach = await unwatched.attach(subscribe);
    }
  }
  expect(await toShown(unwatched)).toEqual(await toShown(watched));
  await Promise.all([detach(), detachWatched()]);
  for (const channel of [watched, unwatched]) channel.close();
  await log.close();
}

function isDeltaFact(fact: RunFact): boolean {
  return isDelta(fact as RunEvent);
}

async function toShown(channel: LogChannel): Promise<unknown> {
  return JSON.parse(JSON.stringify((await channel.viewNow()).own));
}
