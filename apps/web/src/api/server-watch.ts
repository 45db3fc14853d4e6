/**
 * Notices that the server does not answer: a request that hangs, or a process that is frozen. A request may take long for good
 * reasons, so a short one is sent besides; only if that is not answered either, the server is silent. Connections that break are
 * reported where they are used.
 */
type Fetch = typeof fetch;

export type ServerWatch = ReturnType<typeof createServerWatch>;

interface WatchOptions {
  /** A request that is answered at once. */
  readonly probe: (send: Fetch) => Promise<unknown>;
}

const TICK_MS = 1_000;
/** A request that is not answered by then is worth a probe. */
const SLOW_MS = 2_000;
/** So is a page that heard nothing. */
const QUIET_MS = 10_000;
const MIN_PROBE_GAP_MS = 4_000;
/** After the probe was sent: ten seconds after a request. */
const PATIENCE_MS = 8_000;

export function createServerWatch(send: Fetch, { probe }: WatchOptions) {
  const pending = new Set<{ since: number }>();
  const listeners = new Set<() => void>();
  let probing: { since: number } | undefined;
  let heardAt = Date.now();
  let probedAt = Number.NEGATIVE_INFINITY;
  let tickedAt = Date.now();
  let isSilent = false;

  const publish = (next: boolean): void => {
    if (next === isSilent) return;
    isSilent = next;
    for (const listener of listeners) listener();
  };
  const hear = (): void => {
    heardAt = Date.now();
    publish(false);
  };
  const sendProbe = async (): Promise<void> => {
    const current = { since: Date.now() };
    probing = current;
    probedAt = current.since;
    try {
      await probe(send);
    } catch {
      // An error is an answer, or one that is reported elsewhere.
    }
    probing = undefined;
    hear();
  };
  const tick = (): void => {
    const time = Date.now();
    // The machine slept, or the tab was in the background: nobody waited meanwhile.
    if (time - tickedAt > 3 * TICK_MS)
      for (const one of [...pending, ...(probing ? [probing] : [])]) one.since = time;
    tickedAt = time;
    if (document.visibilityState !== 'visible') return;
    const isSlow = [...pending].some(({ since }) => time - since >= SLOW_MS);
    if (probing) publish(time - probing.since >= PATIENCE_MS);
    else if ((isSlow || time - heardAt >= QUIET_MS) && time - probedAt >= MIN_PROBE_GAP_MS) void sendProbe();
  };
  const timer = setInterval(tick, TICK_MS);

  return {
    async fetch(...[input, init]: Parameters<Fetch>): Promise<Response> {
      // A stream is answered when it is opened; its own reader notices when it ends.
      if (new Headers(init?.headers).get('accept') === 'text/event-stream') return send(input, init);
      const request = { since: Date.now() };
      pending.add(request);
      try {
        const response = await send(input, init);
        hear();
        return response;
      } finally {
        pending.delete(request);
      }
    },
    /** It has not answered for ten seconds. */
    isSilent: (): boolean => isSilent,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    end: (): void => clearInterval(timer),
  };
}
