/** The proxy of a network, from the variables that curl and npm use, and the tunnel through it to a server with https. */
import { once } from 'node:events';
import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { connect } from 'node:tls';
import { CrewError } from '../base/crew-error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Undefined if the address is reached directly: always for http, which is used on this machine only. */
export function findProxy(at: URL, env: Environment): URL | undefined {
  const text = env.https_proxy || env.HTTPS_PROXY || env.all_proxy || env.ALL_PROXY;
  if (at.protocol !== 'https:' || !text || isExcluded(at, env.no_proxy || env.NO_PROXY || ''))
    return undefined;
  const address = /^[a-z][\w+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const proxy = URL.canParse(address) ? new URL(address) : undefined;
  if (proxy && /^https?:$/.test(proxy.protocol)) return proxy;
  throw new CrewError(
    'USAGE',
    'https_proxy is not the address of an HTTP proxy, such as http://proxy.example:3128.',
  );
}

/** `example.org` and `.example.org` stand for the host and those below it, `host:8443` for one port, `*` for all. */
function isExcluded({ hostname, port }: URL, list: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '*') return true;
    const [, name = '', wanted] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    const suffix = name.replace(/^\*?\./, '');
    if (suffix === '' || (wanted !== undefined && wanted !== (port || '443'))) return false;
    return host === suffix || host.endsWith(`.${suffix}`);
  });
}

/** For `createConnection` of a request. */
export async function openTunnel(proxy: URL, target: URL, signal: AbortSignal): Promise<() => Socket> {
  const { request } = proxy.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const authority = `${target.hostname}:${target.port || '443'}`;
  const user = decodeURIComponent(proxy.username);
  const credentials = Buffer.from(`${user}:${decodeURIComponent(proxy.password)}`).toString('base64');
  const outgoing = request({
    method: 'CONNECT',
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
    path: authority,
    agent: false,
    signal,
    headers: { host: authority, ...(user !== '' && { 'proxy-authorization': `Basic ${credentials}` }) },
  });
  const socket = await connectThrough(outgoing, proxy);
  const servername = target.hostname.replace(/^\[|\]$/g, '');
  return () => connect({ socket, servername, ALPNProtocols: ['http/1.1'] });
}

async function connectThrough(outgoing: ClientRequest, proxy: URL): Promise<Socket> {
  outgoing.end();
  // Any other answer than to CONNECT is an error of the proxy, too.
  outgoing.on('response', (response) => outgoing.destroy(refused(proxy, response.statusCode)));
  const [response, socket] = (await once(outgoing, 'connect').catch((cause: unknown) => {
    if (cause instanceof CrewError) throw cause;
    throw new CrewError(
      'PACKAGE_UNREACHABLE',
      `The proxy ${proxy.host} cannot be reached. Check the variable https_proxy.`,
      { cause },
    );
  })) as [{ statusCode?: number }, Socket];
  if (response.statusCode === 200) return socket;
  socket.destroy();
  throw refused(proxy, response.statusCode);
}

function refused({ host }: URL, status = 0): CrewError {
  const advice = status === 407 ? ' Add a user and a password to the variable https_proxy.' : '';
  return new CrewError(
    'PACKAGE_UNREACHABLE',
    `The proxy ${host} refused the connection (${status}).${advice}`,
  );
}
