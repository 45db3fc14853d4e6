/**
 * Notices between processes (`LISTEN` and `NOTIFY`) on one connection. A notice is a hint: some are lost while the connection is down, so
 * that receivers also look from time to time. After a reconnect every subscriber gets a notice without a text.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { createQueue } from '@crewagent/core/store';
import pg from 'pg';

const PROBE_EVERY_MS = 15_000;

export interface Notices {
  /** `onNotice` gets the text, or undefined if some may be lost. Returns a function that ends it. */
  subscribe(channel: string, onNotice: (text: string | undefined) => void): () => void;
  close(): Promise<void>;
}

export function createNotices(settings: pg.ClientConfig): Notices {
  const subscribers = new Map<string, Set<(text: string | undefined) => void>>();
  let connecting: Promise<void> | undefined;
  let client: pg.Client | undefined;
  let isClosed = false;
  let probing: NodeJS.Timeout | undefined;

  const connect = async (): Promise<void> => {
    for (let delayMs = 50; !isClosed; delayMs = Math.min(delayMs * 2, 1_000)) {
      const opened = new pg.Client(settings);
      opened.on('error', () => undefined);
      opened.on('end', () => {
        if (client === opened) reconnect();
      });
      opened.on('notification', ({ channel, payload }) => {
        for (const onNotice of subscribers.get(channel) ?? []) onNotice(payload);
      });
      try {
        await opened.connect();
        for (const channel of subscribers.keys())
          await opened.query(`listen ${pg.escapeIdentifier(channel)}`);
        client = opened;
        probing ??= setInterval(probe, PROBE_EVERY_MS).unref();
        for (const all of subscribers.values()) for (const onNotice of all) onNotice(undefined);
        return;
      } catch {
        await opened.end().catch(() => undefined);
        await wait(delayMs, undefined, { ref: false });
      }
    }
  };
  const reconnect = (): void => {
    client = undefined;
    if (!isClosed) connecting = connect();
  };
  /** Nothing is sent on this connection: that it is dead would never be noticed. */
  const probe = (): void => {
    const probed = client;
    probed?.query('select 1').catch(() => {
      if (client === probed) reconnect();
      void probed.end().catch(() => undefined);
    });
  };
  const inOrder = createQueue();
  const listen = (channel: string): Promise<void> =>
    inOrder(async () => {
      if (!connecting) reconnect();
      await connecting;
      // One that fails is repeated by the next connection.
      await client?.query(`listen ${pg.escapeIdentifier(channel)}`).catch(() => undefined);
    });
  return {
    subscribe(channel, onNotice) {
      const own = (text: string | undefined): void => onNotice(text);
      const known = subscribers.get(channel);
      if (known) known.add(own);
      else {
        subscribers.set(channel, new Set([own]));
        void listen(channel).then(() => own(undefined));
      }
      return () => void subscribers.get(channel)?.delete(own);
    },
    async close() {
      isClosed = true;
      clearInterval(probing);
      await connecting;
      await client?.end().catch(() => undefined);
    },
  };
}
