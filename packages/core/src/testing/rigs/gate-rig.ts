/** A network gate whose allowed names lead to a real server of the test, and raw requests to it. */
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { type NetworkGateOptions, openNetworkGate } from '../../processes/network-gate/network-gate.ts';
import { startHttpServer } from '../http-server.ts';

export const PUBLIC = '93.184.215.14';

export async function createGateRig(
  options: Partial<NetworkGateOptions> & { readonly addresses?: Readonly<Record<string, string>> } = {},
) {
  const { addresses = {}, ...gateOptions } = options;
  /** Requests that arrived at the server of the test. */
  const arrived: { method: string; url: string; rawHeaders: string[]; body: string }[] = [];
  /** Addresses and ports that the gate connected to. */
  const dialed: string[] = [];
  const { port, close } = await startHttpServer((request, response) => {
    const { method = '', url = '', rawHeaders } = request;
    const seen = { method, url, rawHeaders, body: '' };
    arrived.push(seen);
    request.on('data', (chunk: Buffer) => (seen.body += chunk.toString('latin1')));
    request.on('end', () => {
      // A server may send anything.
      if (url.startsWith('/raw?'))
        return void response.socket?.end(decodeURIComponent(url.slice(5)), 'latin1');
      if (url === '/redirect') response.writeHead(302, { location: 'http://evil.example/' });
      response.end(`answer to ${url}`);
    });
  });
  onTestFinished(close);
  const gate = await openNetworkGate({
    hosts: ['example.org', '*.cdn.example', 'git.example:8443'],
    resolve: (name) => {
      const address = addresses[name] ?? PUBLIC;
      return Promise.resolve([{ address, family: address.includes(':') ? 6 : 4 }]);
    },
    dial: ([first], dialedPort) => {
      dialed.push(`${first?.address ?? ''}:${dialedPort}`);
      return connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    },
    ...gateOptions,
  });
  onTestFinished(() => gate.close());
  return {
    gate,
    arrived,
    dialed,
    /** Sends bytes to the gate and returns what it answers until the end. */
    send: (...parts: readonly string[]) =>
      new Promise<string>((resolve) => {
        const socket = connect({ path: gate.socketPath, allowHalfOpen: true });
        let answer = '';
        socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
        socket.on('error', () => undefined).on('close', () => resolve(answer));
        socket.on('end', () => socket.end());
        for (const part of parts) socket.write(part, 'latin1');
      }),
  };
}
