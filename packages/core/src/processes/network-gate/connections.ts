/** The connections of a proxy: which targets may be reached, limits of number and idle time, closing all, what was refused. */
import { promises as dns, type LookupAddress } from 'node:dns';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isHostName } from '@crewagent/protocol/sandbox';
import { isPublicAddress } from '../../base/public-address.ts';

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

export function createConnections(options: DialerOptions, limits: ConnectionLimits) {
  const dial = createDialer(options);
  const sockets = new Set<Socket>();
  const refused = new Set<string>();
  let toServers = 0;
  let isClosed = false;

  /** Adds the connection of a client. */
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
    /** Connects to an allowed host, or throws a `Refusal`. */
    async connect(authority: string, defaultPort?: number): Promise<{ target: Target; socket: Socket }> {
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
    refused: (): readonly string[] => [...refused],
    close(): void {
      isClosed = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

export interface DialerOptions {
  /** Names, as in the settings. */
  readonly hosts: readonly string[];
  /** The command by which a person allows a host, without the host. */
  readonly allowWith?: string;
  readonly resolve?: (name: string) => Promise<readonly LookupAddress[]>;
  readonly dial?: (addresses: readonly LookupAddress[], port: number) => Socket;
}

/** A request that is not carried out, with the status and the sentence of the response. */
export class Refusal extends Error {
  readonly status: 400 | 403 | 502 | 503;
  constructor(status: Refusal['status'], message: string) {
    super(message);
    this.status = status;
  }
}

const CONNECT_MS = 30_000;

/**
 * Connects to a host that is allowed, at an address that was checked: the name is resolved once, every address must be public, and
 * the connection is made to one of these addresses, so that a second answer of the name service changes nothing.
 */
function createDialer(options: DialerOptions): (target: Target) => Promise<Socket> {
  const { hosts, allowWith = 'crewagent shell allow-host', resolve = lookUp, dial = connectToAny } = options;
  const isAllowed = createHostList(hosts);
  return async (target) => {
    const shown = describeTarget(target);
    if (!isAllowed(target))
      throw new Refusal(403, `${shown} is not allowed. A person can allow it: ${allowWith} ${shown}`);
    const addresses = await resolve(target.name).catch(() => []);
    if (addresses.length === 0) throw new Refusal(502, `${shown} could not be found.`);
    if (!addresses.every(({ address }) => isPublicAddress(address) && !isOfThisMachine(address)))
      throw new Refusal(
        403,
        `${shown} is on this machine or in a private network, which is never reachable.`,
      );
    return connected(dial(addresses, target.port), shown);
  };
}

function lookUp(name: string): Promise<readonly LookupAddress[]> {
  // The dot: a name is complete, and never one of a search domain of this machine.
  return dns.lookup(`${name}.`, { all: true });
}

/** A machine may have public addresses. */
function isOfThisMachine(address: string): boolean {
  return Object.values(networkInterfaces()).some((list) => list?.some((own) => own.address === address));
}

function connectToAny(addresses: readonly LookupAddress[], port: number): Socket {
  return connect({
    host: 'checked',
    port,
    autoSelectFamily: true,
    allowHalfOpen: true,
    lookup: (_name, _options, callback) => callback(null, [...addresses]),
  });
}

function connected(socket: Socket, shown: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (): void => {
      socket.destroy();
      reject(new Refusal(502, `${shown} could not be reached.`));
    };
    const timer = setTimeout(fail, CONNECT_MS);
    socket.once('error', fail).once('connect', () => {
      clearTimeout(timer);
      socket.off('error', fail);
      resolve(socket);
    });
    socket.once('close', () => clearTimeout(timer));
  });
}

export interface Target {
  /** In lower case, without a dot at its end. */
  readonly name: string;
  readonly port: number;
}

const WEB_PORTS = [80, 443];

/** Names with the ports 80 and 443, or with the port that an entry names. `entries` as in the settings: `example.org`, `*.example.org` (not `example.org` itself), `example.org:8443`. */
export function createHostList(entries: readonly string[]): (target: Target) => boolean {
  const rules = entries.map((entry) => {
    const [name = '', port] = entry.toLowerCase().split(':');
    return { name, ports: port === undefined ? WEB_PORTS : [Number(port)] };
  });
  const matches = (rule: string, name: string): boolean =>
    rule.startsWith('*.') ? name.endsWith(rule.slice(1)) : name === rule;
  return ({ name, port }) => rules.some((rule) => rule.ports.includes(port) && matches(rule.name, name));
}

/** The target in a request: `name:port`, where the port may be left out if there is a default. Undefined for anything else. */
export function parseTarget(authority: string, defaultPort?: number): Target | undefined {
  const [, written = '', digits] = /^([^:]{1,254})(?::(\d{1,5}))?$/.exec(authority) ?? [];
  const name = written.toLowerCase().replace(/\.$/, '');
  const port = digits === undefined ? defaultPort : Number(digits);
  if (!isHostName(name) || !isUrlHost(name)) return undefined;
  if (port === undefined || port < 1 || port > 65_535) return undefined;
  return { name, port };
}

/** Whether a URL has this host: not every label that begins with `xn--` is one. */
function isUrlHost(name: string): boolean {
  return URL.canParse(`http://${name}`) && new URL(`http://${name}`).hostname === name;
}

export function describeTarget({ name, port }: Target): string {
  return WEB_PORTS.includes(port) ? name : `${name}:${port}`;
}
