/**
 * A provider without latency that drives a loop: reads a file in each turn, patches the state in every fifth if asked to, and ends
 * after a number of turns. Records the time and size of each request.
 */
import { readFileSync } from 'node:fs';
import { startHttpServer } from '../packages/core/src/testing/http-server.ts';
import { type StreamOptions, streamReply } from '../packages/core/src/testing/models/provider-replies.ts';

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
  let makeStatePatch: ((turn: number) => Readonly<Record<string, unknown>>) | undefined;
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
        response.write(toText({ text: 'All done?' }));
        response.end(() => {
          record.endedAt = performance.now();
        });
        return;
      }
      const path = `@project/file-${turn % 10}.txt`;
      const call =
        makeStatePatch && turn % 5 === 0
          ? { name: 'fs_apply_patch', arguments: makeStatePatch(turn) }
          : // The same read again and again is no progress, unless the state changes meanwhile.
            {
              name: 'fs_read',
              arguments: makeStatePatch ? { path } : { path, startLine: Math.ceil(turn / 10) },
            };
      response.end(toText({ toolCalls: [{ id: `call_${turn}`, ...call }], pieceLength: 40 }));
    });
  });
  return {
    url: `${server.url}/v1`,
    close: server.close,
    /** Resets the record for one loop with this number of turns. Without `patch` it only reads. */
    expect(count: number, patch?: typeof makeStatePatch): LoopRecord {
      [turns, makeStatePatch] = [count, patch];
      record = createRecord();
      return record;
    },
  };
}

export function toText(reply: StreamOptions): string {
  return [...(streamReply(reply).chunks as Iterable<string>)].join('');
}

function createRecord(): LoopRecord {
  return { arrivals: [], bytes: [], connections: new Set(), endedAt: 0, pid: undefined, rssMb: 0 };
}

/** Peak memory of the process; 0 if the system does not report it. */
function readRss(pid: number | undefined): number {
  if (pid === undefined || process.platform !== 'linux') return 0;
  const found = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(found ?? 0) / 1024;
}
