/**
 * One source, many readers: what is published goes to each of them as server-sent events. A reader that does not keep up
 * loses its queue and gets a snapshot when it comes back; whoever publishes never waits.
 */
export interface Feed {
  /** A finished event, as it goes over the wire. */
  publish(frame: string): void;
  /** The stream of a new reader: first what is given, or a snapshot, then all that is published from now on. */
  open(reader?: ReaderOptions): ReadableStream<Uint8Array>;
  readonly readers: number;
  /** Ends all streams. */
  close(): void;
}

export interface ReaderOptions {
  readonly first?: string | undefined;
  /** Told when the reader took nothing for too long; it should be hung up on. */
  readonly onStalled?: () => void;
}

export interface FeedOptions {
  /** Everything so far, as one event. */
  snapshot(): string;
  /** Told when the number of readers changes. */
  onReaders?: (readers: number) => void;
  readonly timing?: Partial<FeedTiming> | undefined;
}

export interface FeedTiming {
  readonly heartbeatMs: number;
  /** How long a reader may leave what waits for it. */
  readonly patienceMs: number;
  /** How much may wait for one reader. */
  readonly maxQueuedChars: number;
}

const TIMING: FeedTiming = { heartbeatMs: 15_000, patienceMs: 60_000, maxQueuedChars: 1_000_000 };
const HEARTBEAT = ':\n\n';

interface Reader {
  queue: string[];
  queuedChars: number;
  isBehind: boolean;
  /** Since when something waits for it. */
  waitingSince: number | undefined;
  wake: (() => void) | undefined;
  readonly onStalled: (() => void) | undefined;
}

export function createFeed({ snapshot, onReaders = () => undefined, timing }: FeedOptions): Feed {
  const { heartbeatMs, patienceMs, maxQueuedChars } = { ...TIMING, ...timing };
  const readers = new Set<Reader>();
  const encoder = new TextEncoder();
  let isClosed = false;
  let heartbeat: NodeJS.Timeout | undefined;

  const give = (reader: Reader, frame: string): void => {
    if (reader.isBehind) return;
    reader.waitingSince ??= performance.now();
    reader.queue.push(frame);
    reader.queuedChars += frame.length;
    if (reader.queuedChars > maxQueuedChars) {
      reader.queue = [];
      reader.isBehind = true;
    }
    reader.wake?.();
  };
  const take = (reader: Reader): string => {
    const text = reader.isBehind ? snapshot() : reader.queue.join('');
    reader.queue = [];
    reader.queuedChars = 0;
    reader.isBehind = false;
    reader.waitingSince = undefined;
    return text;
  };
  const leave = (reader: Reader): void => {
    if (!readers.delete(reader)) return;
    if (readers.size === 0) clearInterval(heartbeat);
    onReaders(readers.size);
  };
  const beat = (): void => {
    for (const reader of readers) {
      if (reader.waitingSince === undefined) give(reader, HEARTBEAT);
      else if (performance.now() - reader.waitingSince > patienceMs) {
        leave(reader);
        reader.onStalled?.();
      }
    }
  };

  return {
    publish(frame) {
      for (const reader of readers) give(reader, frame);
    },

    open({ first, onStalled } = {}) {
      const reader: Reader = {
        queue: [first ?? snapshot()],
        queuedChars: 0,
        isBehind: false,
        waitingSince: undefined,
        wake: undefined,
        onStalled,
      };
      readers.add(reader);
      if (readers.size === 1) heartbeat = setInterval(beat, heartbeatMs).unref();
      onReaders(readers.size);
      return new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            while (!isClosed && reader.queue.length === 0 && !reader.isBehind) {
              await new Promise<void>((resolve) => {
                reader.wake = resolve;
              });
            }
            reader.wake = undefined;
            if (reader.queue.length > 0 || reader.isBehind) controller.enqueue(encoder.encode(take(reader)));
            else controller.close();
          },
          cancel() {
            leave(reader);
          },
        },
        { highWaterMark: 0 },
      );
    },

    get readers() {
      return readers.size;
    },

    close() {
      isClosed = true;
      clearInterval(heartbeat);
      for (const reader of readers) reader.wake?.();
      readers.clear();
    },
  };
}

/** An event as it goes over the wire; `data` is one line of JSON. */
export function toFrame(data: string, { event, id }: { event?: string; id?: number } = {}): string {
  return `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`;
}
