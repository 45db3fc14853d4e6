/**
 * Opening a run with a long history: reads its log, verifies its chain, folds its view and the engine's state.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { RunFact } from '@crewagent/protocol/events';
import { addToStory } from '@crewagent/protocol/story/fold-story';
import { createStory } from '@crewagent/protocol/story/story';
import { remember } from '../packages/core/src/engine/remember.ts';
import { RunMemory } from '../packages/core/src/engine/run-memory.ts';
import { openRunLog, readRunLog } from '../packages/core/src/store/disk/log/run-log.ts';
import { atMost, compare, inFolder, type Row } from './measure.ts';

const EVENTS = 100_000;

export async function benchRuns(): Promise<Row[]> {
  return inFolder(async (folder) => {
    const file = join(folder, 'execution.jsonl');
    const perAppend = await writeLog(file);
    const view = async (): Promise<void> => {
      const seen = createStory('bench');
      const { lastSeq } = await readRunLog(file, (event) => addToStory(seen, event));
      if (lastSeq !== EVENTS) throw new Error('the log is incomplete');
    };
    const memory = async (): Promise<void> => {
      const known = new RunMemory();
      const options = {
        scope: 'node',
        wantsReasoningBack: false,
        toWireName: (name: string) => name,
      } as const;
      await readRunLog(file, (event) => remember(known, event, options));
    };
    const times = await compare(5, view, memory);
    const megabytes = (statSync(file).size / 1e6).toFixed(0);
    return [
      atMost(`view of a run of 100,000 events (${megabytes} MB)`, times.ours, 1_000),
      atMost('memory of the same run', times.baseline, 1_000),
      atMost('append of an event', perAppend, 50, 'µs'),
    ];
  });
}

/** Turns of a loop, five events each. Returns microseconds per append. */
async function writeLog(file: string): Promise<number> {
  const log = await openRunLog({ file, runId: 'bench', now: () => new Date() });
  const started = performance.now();
  for (let turn = 1; turn <= EVENTS / 5; turn++) for (const fact of turnFacts(turn)) log.append(fact);
  const perAppend = ((performance.now() - started) * 1_000) / EVENTS;
  await log.close();
  return perAppend;
}

/** The events of one turn. */
export function turnFacts(turn: number): RunFact[] {
  const id = `call-${turn}`;
  const nodeId = `step-${Math.floor(turn / 20) % 7}`;
  const usage = { promptTokens: 4_000, completionTokens: 50, cachedTokens: 0 };
  return [
    turn % 20 === 1
      ? {
          type: 'message.completed',
          role: 'user',
          purpose: 'anchor',
          nodeId,
          content: 'NODE_BRIEF\n'.repeat(40),
        }
      : { type: 'turn.started', turn, nodeId, requestBytes: 16_000, estimatedTokens: 4_000 },
    {
      type: 'message.completed',
      turn,
      role: 'assistant',
      purpose: 'reply',
      nodeId,
      content: 'I read on.',
      toolCalls: [{ id, name: 'fs.read', arguments: '{"path":"@project/docs/prd.md"}' }],
    },
    { type: 'usage.updated', turn, usage, total: usage },
    { type: 'tool.started', callId: id, name: 'fs.read', nodeId, path: '@project/docs/prd.md' },
    {
      type: 'tool.ended',
      callId: id,
      name: 'fs.read',
      outcome: 'ok',
      durationMs: 1,
      content: JSON.stringify({ ok: true, content: 'A line of text.\n'.repeat(20) }),
    },
  ];
}
