/**
 * Connections that carry several event streams each. A stream is read only as fast as its connection is: what it does with a
 * slow reader is its own affair.
 */
import { CrewError } from '@crewagent/core';
import type { MuxMessage } from '@crewagent/protocol/api/streams';
import { toFrame } from './feed.ts';

export interface StreamMuxes {
  /** The stream of a new connection, which `disconnect` breaks. It takes the place of another one of the same name. */
  open(muxId: string, disconnect: () => void): ReadableStream<Uint8Array>;
  /** Throws where there is no such connection, or no room on it. */
  add(muxId: string, name: string, stream: ReadableStream<Uint8Array>): void;
  remove(muxId: string, name: string): void;
  /** Throws where there is no such connection: before a stream is opened for nothing. */
  find(muxId: string): { disconnect(): void };
  close(): void;
}

const MOST_STREAMS = 32;
const HEARTBEAT_MS = 15_000;
const HEARTBEAT = ':\n\n';

interface MuxStream {
  /** Frames that wait to be taken, each with who waits for that. */
  readonly waiting: { readonly frame: string; readonly taken: () => void }[];
  readonly streams: Map<string, ReadableStreamDefaultReader<Uint8Array>>;
  readonly disconnect: () => void;
  wake: () => void;
  isOver: boolean;
}

export function createStreamMuxes(): StreamMuxes {
  const muxes = new Map<string, MuxStream>();
  const encoder = new TextEncoder();

  const find = (muxId: string): MuxStream => {
    const mux = muxes.get(muxId);
    if (!mux) throw new CrewError('STREAM_GONE', 'This connection is not open any more; open it again.');
    return mux;
  };
  const end = (muxId: string, mux: MuxStream): void => {
    if (muxes.get(muxId) === mux) muxes.delete(muxId);
    mux.isOver = true;
    for (const { taken } of mux.waiting.splice(0)) taken();
    for (const reader of mux.streams.values()) void reader.cancel().catch(() => undefined);
    mux.streams.clear();
    mux.wake();
  };

  return {
    open(muxId, disconnect) {
      const before = muxes.get(muxId);
      if (before) end(muxId, before);
      const mux: MuxStream = {
        waiting: [],
        streams: new Map(),
        disconnect,
        wake: () => undefined,
        isOver: false,
      };
      muxes.set(muxId, mux);
      const beat = setInterval(() => {
        if (mux.waiting.length === 0) void write(mux, HEARTBEAT);
      }, HEARTBEAT_MS).unref();
      // So that the other side knows at once that it is open.
      void write(mux, HEARTBEAT);
      return new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            while (mux.waiting.length === 0 && !mux.isOver) {
              await new Promise<void>((resolve) => {
                mux.wake = resolve;
              });
            }
            const frames = mux.waiting.splice(0);
            if (frames.length > 0)
              controller.enqueue(encoder.encode(frames.map(({ frame }) => frame).join('')));
            for (const { taken } of frames) taken();
            if (mux.isOver) {
              clearInterval(beat);
              controller.close();
            }
          },
          cancel() {
            clearInterval(beat);
            end(muxId, mux);
          },
        },
        { highWaterMark: 0 },
      );
    },
    add(muxId, name, stream) {
      const mux = find(muxId);
      if (mux.streams.has(name) || mux.streams.size >= MOST_STREAMS)
        throw new CrewError(
          'USAGE',
          `A connection carries ${MOST_STREAMS} streams at most, each of its own name.`,
        );
      const reader = stream.getReader();
      mux.streams.set(name, reader);
      void carry(mux, name, reader);
    },
    remove(muxId, name) {
      const { streams } = find(muxId);
      void streams
        .get(name)
        ?.cancel()
        .catch(() => undefined);
      streams.delete(name);
    },
    find,
    close() {
      for (const [muxId, mux] of muxes) end(muxId, mux);
    },
  };
}

/** Until the stream ends, is taken off, or the connection is gone. */
async function carry(
  mux: MuxStream,
  name: string,
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<void> {
  const decoder = new TextDecoder();
  const isMultiplexed = (): boolean => mux.streams.get(name) === reader;
  try {
    for (let part = await reader.read(); !part.done && isMultiplexed(); part = await reader.read())
      await write(mux, toMuxMessage({ name, text: decoder.decode(part.value, { stream: true }) }));
  } catch {
    // It broke: for the other side it is over, and may be opened again.
  }
  if (!isMultiplexed()) return;
  mux.streams.delete(name);
  await write(mux, toMuxMessage({ name, text: '', isOver: true }));
}

function toMuxMessage(multiplexed: MuxMessage): string {
  return toFrame(JSON.stringify(multiplexed), { event: 'carried' });
}

/** Resolves when it was taken. */
function write(mux: MuxStream, frame: string): Promise<void> {
  if (mux.isOver) return Promise.resolve();
  return new Promise((taken) => {
    mux.waiting.push({ frame, taken });
    mux.wake();
  });
}
