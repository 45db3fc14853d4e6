/**
 * Connections that carry several event streams each. A stream is read only as fast as its connection is: what it does with a
 * slow reader is its own affair.
 */
import { CrewError } from '@crewagent/core';
import type { Carried } from '@crewagent/protocol/api/streams';
import { toFrame } from './feed.ts';

export interface Carriers {
  /** The stream of a new connection, which `hangUp` breaks. It takes the place of another one of the same name. */
  open(carrierId: string, hangUp: () => void): ReadableStream<Uint8Array>;
  /** Throws where there is no such connection, or no room on it. */
  add(carrierId: string, name: string, stream: ReadableStream<Uint8Array>): void;
  remove(carrierId: string, name: string): void;
  /** Throws where there is no such connection: before a stream is opened for nothing. */
  find(carrierId: string): { hangUp(): void };
  close(): void;
}

const MOST_STREAMS = 32;
const HEARTBEAT_MS = 15_000;
const HEARTBEAT = ':\n\n';

interface Carrier {
  /** Frames that wait to be taken, each with who waits for that. */
  readonly waiting: { readonly frame: string; readonly taken: () => void }[];
  readonly streams: Map<string, ReadableStreamDefaultReader<Uint8Array>>;
  readonly hangUp: () => void;
  wake: () => void;
  isOver: boolean;
}

export function createCarriers(): Carriers {
  const carriers = new Map<string, Carrier>();
  const encoder = new TextEncoder();

  const find = (carrierId: string): Carrier => {
    const carrier = carriers.get(carrierId);
    if (!carrier) throw new CrewError('STREAM_GONE', 'This connection is not open any more; open it again.');
    return carrier;
  };
  const end = (carrierId: string, carrier: Carrier): void => {
    if (carriers.get(carrierId) === carrier) carriers.delete(carrierId);
    carrier.isOver = true;
    for (const { taken } of carrier.waiting.splice(0)) taken();
    for (const reader of carrier.streams.values()) void reader.cancel().catch(() => undefined);
    carrier.streams.clear();
    carrier.wake();
  };

  return {
    open(carrierId, hangUp) {
      const before = carriers.get(carrierId);
      if (before) end(carrierId, before);
      const carrier: Carrier = {
        waiting: [],
        streams: new Map(),
        hangUp,
        wake: () => undefined,
        isOver: false,
      };
      carriers.set(carrierId, carrier);
      const beat = setInterval(() => {
        if (carrier.waiting.length === 0) void write(carrier, HEARTBEAT);
      }, HEARTBEAT_MS).unref();
      // So that the other side knows at once that it is open.
      void write(carrier, HEARTBEAT);
      return new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            while (carrier.waiting.length === 0 && !carrier.isOver) {
              await new Promise<void>((resolve) => {
                carrier.wake = resolve;
              });
            }
            const frames = carrier.waiting.splice(0);
            if (frames.length > 0)
              controller.enqueue(encoder.encode(frames.map(({ frame }) => frame).join('')));
            for (const { taken } of frames) taken();
            if (carrier.isOver) {
              clearInterval(beat);
              controller.close();
            }
          },
          cancel() {
            clearInterval(beat);
            end(carrierId, carrier);
          },
        },
        { highWaterMark: 0 },
      );
    },
    add(carrierId, name, stream) {
      const carrier = find(carrierId);
      if (carrier.streams.has(name) || carrier.streams.size >= MOST_STREAMS)
        throw new CrewError(
          'USAGE',
          `A connection carries ${MOST_STREAMS} streams at most, each of its own name.`,
        );
      const reader = stream.getReader();
      carrier.streams.set(name, reader);
      void carry(carrier, name, reader);
    },
    remove(carrierId, name) {
      const { streams } = find(carrierId);
      void streams
        .get(name)
        ?.cancel()
        .catch(() => undefined);
      streams.delete(name);
    },
    find,
    close() {
      for (const [carrierId, carrier] of carriers) end(carrierId, carrier);
    },
  };
}

/** Until the stream ends, is taken off, or the connection is gone. */
async function carry(
  carrier: Carrier,
  name: string,
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<void> {
  const decoder = new TextDecoder();
  const isCarried = (): boolean => carrier.streams.get(name) === reader;
  try {
    for (let part = await reader.read(); !part.done && isCarried(); part = await reader.read())
      await write(carrier, toCarried({ name, text: decoder.decode(part.value, { stream: true }) }));
  } catch {
    // It broke: for the other side it is over, and may be opened again.
  }
  if (!isCarried()) return;
  carrier.streams.delete(name);
  await write(carrier, toCarried({ name, text: '', isOver: true }));
}

function toCarried(carried: Carried): string {
  return toFrame(JSON.stringify(carried), { event: 'carried' });
}

/** Resolves when it was taken. */
function write(carrier: Carrier, frame: string): Promise<void> {
  if (carrier.isOver) return Promise.resolve();
  return new Promise((taken) => {
    carrier.waiting.push({ frame, taken });
    carrier.wake();
  });
}
