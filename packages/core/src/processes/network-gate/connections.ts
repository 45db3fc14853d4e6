/** The connections of a proxy: counted, idle for a limited time, and closed together. Remembers what was refused. */
import type { Socket } from 'node:net';
import { createDialer, type DialerOptions, Refusal } from './dialer.ts';
import { describeTarget, parseTarget, type Target } from './host-list.ts';

export interface Connections {
  /** Adds the connection of a client. */
  add(socket: Socket): void;
  /** Connects to an allowed host, or throws a `Refusal`. */
  connect(
    authority: string,
    defaultPort?: number,
  ): Promise<{ readonly target: Target; readonly socket: Socket }>;
  refused(): readonly string[];
  close(): void;
}

export interface ConnectionLimits {
  /** To servers: one client can have many requests under way. */
  readonly connections: number;
  /** Without data in either direction. */
  readonly idleMs: number;
}

/** As many as a person can read. */
const MAX_REFUSED = 20;
/** A name or an address; other texts of the client are not repeated. */
const SHOWN = /^[\w.:[\]%-]{1,253}$/;

export function createConnections(options: DialerOptions, limits: ConnectionLimits): Connections {
  const { dial } = createDialer(options);
  const sockets = new Set<Socket>();
  const refused = new Set<string>();
  let toServers = 0;
  let isClosed = false;

  const add = (socket: Socket): void => {
    sockets.add(socket);
    socket.setTimeout(limits.idleMs, () => void socket.destroy());
    // A socket that fails is closed, too.
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  };

  const open = async (target: Target): Promise<Socket> => {
    if (toServers >= limits.connections)
      throw new Refusal(503, 'There are too many connections. Try again later.');
    toServers++;
    try {
      const socket = await dial(target);
      add(socket);
      socket.once('close', () => toServers--);
      if (isClosed) socket.destroy();
      return socket;
    } catch (error) {
      toServers--;
      throw error;
    }
  };

  return {
    add,
    async connect(authority, defaultPort) {
      const target = parseTarget(authority, defaultPort);
      try {
        if (!target) throw new Refusal(403, 'Only names of hosts can be reached, and no addresses.');
        return { target, socket: await open(target) };
      } catch (error) {
        const shown = target ? describeTarget(target) : authority;
        const isNew = error instanceof Refusal && error.status === 403 && refused.size < MAX_REFUSED;
        if (isNew && SHOWN.test(shown)) refused.add(shown);
        throw error;
      }
    },
    refused: () => [...refused],
    close() {
      isClosed = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}
