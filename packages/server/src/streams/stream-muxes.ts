/**
 * Connections that multiplex several event streams. A stream is read only as fast as its connection; the stream itself decides
 * how to handle a slow reader.
 */
import { CrewError } from '@crewagent/core';
import type { MuxMessage } from '@crewagent/protocol/api/streams';
import { toFrame } from './feed.ts';

const MAX_STREAMS = 32;
const HEARTBEAT_MS = 15_000;
const HEARTBEAT = ':\n\n';

interface Mux {
  /** A write is done when the connection has read it. */
  readonly writer: WritableStreamDefaultWriter<string>;
  readonly streams: Map<string, ReadableStreamDefaultReader<Uint8Array>>;
  readonly disconnect: () => void;
}

export function createStreamMuxes() {
  const muxes = new Map<string, Mux>();

  const find = (muxId: string): Mux => {
    const mux = muxes.get(muxId);
    if (!mux) throw new CrewError('STREAM_GONE', 'This connection is closed. Open it again.');
    return mux;
  };
  const end = (muxId: string, mux: Mux): void => {
    if (muxes.get(muxId) === mux) muxes.delete(muxId);
    for (const name of mux.streams.keys()) drop(mux, name);
    void mux.writer.close().catch(ignore);
  };

  return {
    /** Opens the stream of a new connection, which `disconnect` closes. It replaces an earlier connection with the same id. */
    open(muxId: string, disconnect: () => void): ReadableStream<Uint8Array> {
      const before = muxes.get(muxId);
      if (before) end(muxId, before);
      const { readable, writable } = new TextEncoderStream();
      const writer = writable.getWriter();
      const mux: Mux = { writer, streams: new Map(), disconnect };
      muxes.set(muxId, mux);
      const beat = (): void => void writer.write(HEARTBEAT).catch(ignore);
      // Tells the client at once that the connection is open.
      beat();
      const timer = setInterval(() => (writer.desiredSize ?? 0) > 0 && beat(), HEARTBEAT_MS).unref();
      // Rejects when the client disconnects.
      void writer.closed.catch(ignore).then(() => {
        clearInterval(timer);
        end(muxId, mux);
      });
      return readable;
    },
    /** Throws if the connection does not exist or is full. */
    add(muxId: string, name: string, stream: ReadableStream<Uint8Array>): void {
      const mux = find(muxId);
      if (mux.streams.has(name) || mux.streams.size >= MAX_STREAMS)
        throw new CrewError('USAGE', `A connection has at most ${MAX_STREAMS} streams with distinct names.`);
      const reader = stream.getReader();
      mux.streams.set(name, reader);
      void forward(mux, name, reader);
    },
    remove: (muxId: string, name: string): void => drop(find(muxId), name),
    /** Throws if the connection does not exist; called before a stream is opened in vain. */
    find: (muxId: string): Pick<Mux, 'disconnect'> => find(muxId),
    close(): void {
      for (const [muxId, mux] of muxes) end(muxId, mux);
    },
  };
}

function drop({ streams }: Mux, name: string): void {
  void streams.get(name)?.cancel().catch(ignore);
  streams.delete(name);
}

/** Forwards a stream until it ends, is removed, or the connection is closed. */
async function forward(
  { writer, streams }: Mux,
  name: string,
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<void> {
  const decoder = new TextDecoder();
  const isMultiplexed = (): boolean => streams.get(name) === reader;
  const write = (message: MuxMessage): Promise<void> =>
    writer.write(toFrame(JSON.stringify(message), { event: 'carried' })).catch(ignore);
  try {
    for (let part = await reader.read(); !part.done && isMultiplexed(); part = await reader.read())
      await write({ name, text: decoder.decode(part.value, { stream: true }) });
  } catch {
    // For the client the stream has ended; it may open it again.
  }
  if (!isMultiplexed()) return;
  streams.delete(name);
  await write({ name, text: '', isOver: true });
}

/** The connection or the stream has ended, which is handled where it is noticed first. */
function ignore(): void {}
