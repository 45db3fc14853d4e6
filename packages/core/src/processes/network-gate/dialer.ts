/**
 * Connects to a host that is allowed, at an address that was checked: the name is resolved once, every address must be public, and
 * the connection is made to one of these addresses, so that a second answer of the name service changes nothing.
 */
import { promises as dns, type LookupAddress } from 'node:dns';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isPublicAddress } from '../../base/public-address.ts';
import { createHostList, describeTarget, type Target } from './host-list.ts';

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

export function createDialer(options: DialerOptions): { dial(target: Target): Promise<Socket> } {
  const { hosts, allowWith = 'crewagent shell allow-host', resolve = lookUp, dial = connectToAny } = options;
  const isAllowed = createHostList(hosts);
  return {
    async dial(target) {
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
    },
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
