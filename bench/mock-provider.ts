/**
 * A provider without latency that drives a loop: reads a file in each turn, patches the state in every fifth, and ends after a
 * number of turns. Records the time and size of each request.
 */
import { readFileSync } from 'node:fs';
import { startHttpServer } from '../packages/core/src/testing/http-server.ts';

export type MockProvider = Awaited<ReturnType<typeof startMockProvider>>;

export interface LoopRecord {
  /** Arrival time of each request, in milliseconds. */
  readonly arrivals: number[];
  readonly bytes: number[];
  readonly connections: Set<unknown>;
  /** Time when the last byte of the last reply was written. */
  endedAt: number;
  /** The process whose memory is read at the last request. */
  pid: number | undefined;
  rssMb: number;
}

export async function startMockProvider() {
  let turns = 0;
  let makeStatePatch: (turn: number) => unknown = () => ({});
  let record: LoopRecord = createRecord();

  const server = await startHttpServer((request, response) => {
    record.connections.add(request.socket);
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
    });
    request.on('end', () => {
      record.bytes.push(size);
      const turn = record.arrivals.push(performance.now());
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (turn > turns) {
        record.rssMb = readRss(record.pid);
        response.write(textStream());
        response.end(() => {
          record.endedAt = performance.now();
        });
        return;
      }
      const call =
        turn % 5 === 0
          ? { name: 'fs_apply_patch', args: makeStatePatch(turn) }
          : { name: 'fs_read', args: { path: `@project/file-${turn % 10}.txt` } };
      response.end(callStream(turn, call.name, JSON.stringify(call.args)));
    });
  });
  return {
    url: `${server.url}/v1`,
    close: server.close,
    /** Resets the record for one loop with this number of turns. */
    expect(count: number, patch: typeof makeStatePatch): LoopRecord {
      [turns, makeStatePatch] = [count, patch];
      record = createRecord();
      return record;
    },
  };
}

function createRecord(): LoopRecord {
  return { arrivals: [], bytes: [], connections: new Set(), endedAt: 0, pid: undefined, rssMb: 0 };
}

function callStream(turn: number, name: string, args: string): string {
  const part = (fn: object, more: object = {}): object => ({
    tool_calls: [{ index: 0, ...more, function: fn }],
  });
  const pieces = args.match(/.{1,40}/gs) ?? [];
  return toStream([
    { role: 'assistant', content: null },
    part({ name, arguments: '' }, { id: `call_${turn}`, type: 'function' }),
    ...pieces.map((piece) => part({ arguments: piece })),
  ]);
}

function textStream(): string {
  return toStream([{ role: 'assistant', content: 'All ' }, { content: 'done?' }]);
}

function toStream(deltas: readonly object[]): string {
  const event = (value: object): string =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', model: 'm', ...value })}\n\n`;
  const body = deltas.map((delta) => event({ choices: [{ index: 0, delta, finish_reason: null }] }));
  const usage = { prompt_tokens: 1_000, completion_tokens: 10, total_tokens: 1_010 };
  return `${body.join('')}${event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}${event({ choices: [], usage })}data: [DONE]\n\n`;
}

/** Peak memory of the process; 0 if the system does not report it. */
function readRss(pid: number | undefined): number {
  if (pid === undefined || process.platform !== 'linux') return 0;
  const found = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(found ?? 0) / 1024;
}
