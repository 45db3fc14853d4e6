/**
 * Connections that multiplex several event streams. A stream is read only as fast as its connection; the stream itself decides
 * how to handle a slow reader.
 */
import { CrewError } from '@crewagent/core';
import type { MuxMessage } from '@crewagent/protocol/api/streams';
import { toFrame } from './feed.ts';

export interface StreamMuxes {
  /** Opens the stream of a new connection, which `disconnect` closes. It replaces an earlier connection with the same id. */
  open(muxId: string, disconnect: () => void): ReadableStream<Uint8Array>;
  /** Throws if the connection does not exist or is full. */
  add(muxId: string, name: string, stream: ReadableStream<Uint8Array>): void;
  remove(muxId: string, name: string): void;
  /** Throws if the connection does not exist; called before a stream is opened in vain. */
  find(muxId: string): { disconnect(): void };
  close(): void;
}

const MAX_STREAMS = 32;
const HEARTBEAT_MS = 15_000;
const HEARTBEAT = ':\n\n';

interface MuxStream {
  /** Queued frames, each with a callback for when it was sent. */
  readonly waiting: { readonly frame: string; readonly onSent: () => void }[];
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
    if (!mux) throw new CrewError('STREAM_GONE', 'This connection is closed. Open it again.');
    return mux;
  };
  const end = (muxId: string, mux: MuxStream): void => {
    if (muxes.get(muxId) === mux) muxes.delete(muxId);
    mux.isOver = true;
    for (const { onSent } of mux.waiting.splice(0)) onSent();
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
      // Tells the client at once that the connection is open.
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
            for (const { onSent } of frames) onSent();
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
      if (mux.streams.has(name) || mux.streams.size >= MAX_STREAMS)
        throw new CrewError('USAGE', `A connection has at most ${MAX_STREAMS} streams with distinct names.`);
      const reader = stream.getReader();
      mux.streams.set(name, reader);
      void forward(mux, name, reader);
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

/** Forwards a stream until it ends, is removed, or the connection is closed. */
async function forward(
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
    // For the client the stream has ended; it may open it again.
  }
  if (!isMultiplexed()) return;
  mux.streams.delete(name);
  await write(mux, toMuxMessage({ name, text: '', isOver: true }));
}

function toMuxMessage(message: MuxMessage): string {
  return toFrame(JSON.stringify(message), { event: 'carried' });
}

/** Resolves when the frame was sent. */
function write(mux: MuxStream, frame: string): Promise<void> {
  if (mux.isOver) return Promise.resolve();
  return new Promise((onSent) => {
    mux.waiting.push({ frame, onSent });
    mux.wake();
  });
}
