/**
 * One source, many readers: every published frame goes to each of them as server-sent events. A reader that does not keep up
 * loses its queue and gets a snapshot instead; the publisher never waits.
 */
export interface Feed {
  /** Publishes a complete frame. */
  publish(frame: string): void;
  /** Opens a stream for a new reader: `first` or a snapshot, then every published frame. */
  open(reader?: ReaderOptions): ReadableStream<Uint8Array>;
  readonly readers: number;
  /** Ends all streams. */
  close(): void;
}

export interface ReaderOptions {
  readonly first?: string | undefined;
  /** Called when the reader has not read for too long; should disconnect it. */
  readonly onStalled?: () => void;
}

export interface FeedOptions {
  /** Everything so far, as one event. */
  snapshot(): string;
  /** Called when the number of readers changes. */
  onReaders?: (readers: number) => void;
  readonly timing?: Partial<FeedTiming> | undefined;
}

export interface FeedTiming {
  readonly heartbeatMs: number;
  /** How long a frame may wait for a reader. */
  readonly patienceMs: number;
  /** How many characters may be queued for one reader. */
  readonly maxQueuedChars: number;
}

const TIMING: FeedTiming = { heartbeatMs: 15_000, patienceMs: 60_000, maxQueuedChars: 1_000_000 };
const HEARTBEAT = ':\n\n';

interface Reader {
  queue: string[];
  queuedChars: number;
  isBehind: boolean;
  /** Time of the oldest frame that was not read yet. */
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

  const enqueue = (reader: Reader, frame: string): void => {
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
  const drain = (reader: Reader): string => {
    const text = reader.isBehind ? snapshot() : reader.queue.join('');
    reader.queue = [];
    reader.queuedChars = 0;
    reader.isBehind = false;
    reader.waitingSince = undefined;
    return text;
  };
  const remove = (reader: Reader): void => {
    if (!readers.delete(reader)) return;
    if (readers.size === 0) clearInterval(heartbeat);
    onReaders(readers.size);
  };
  const beat = (): void => {
    for (const reader of readers) {
      if (reader.waitingSince === undefined) enqueue(reader, HEARTBEAT);
      else if (performance.now() - reader.waitingSince > patienceMs) {
        remove(reader);
        reader.onStalled?.();
      }
    }
  };

  return {
    publish(frame) {
      for (const reader of readers) enqueue(reader, frame);
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
            if (reader.queue.length > 0 || reader.isBehind) controller.enqueue(encoder.encode(drain(reader)));
            else controller.close();
          },
          cancel() {
            remove(reader);
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

/** One server-sent event; `data` is a single line of JSON. */
export function toFrame(data: string, { event, id }: { event?: string; id?: number } = {}): string {
  return `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`;
}
