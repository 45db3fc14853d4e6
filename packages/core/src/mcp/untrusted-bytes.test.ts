import { PassThrough } from 'node:stream';
import { parseJSONRPCMessage } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CrewError } from '../base/crew-error.ts';
import { parseServersFile } from './parse-servers-file.ts';
import {
  createStdioTransport,
  type ServerProcess,
  type StdioLimits,
  type StdioTransport,
} from './stdio-transport.ts';

const LIMITS: StdioLimits = { maxMessageBytes: 2_000, maxNoiseBytes: 500, maxUnrequested: 50 };

/** A transport on bytes written by the test. */
async function createRig() {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  let kills = 0;
  const server: ServerProcess = {
    stdin,
    stdout,
    stderr,
    pid: undefined,
    ended: new Promise(() => undefined),
    kill: () => Promise.resolve(void kills++),
  };
  const transport: StdioTransport = createStdioTransport(server, parseJSONRPCMessage, LIMITS);
  const received: unknown[] = [];
  transport.onmessage = (message) => received.push(message);
  await transport.start();
  const write = async (bytes: Uint8Array): Promise<void> => {
    if (!stdout.destroyed) stdout.write(bytes);
    await new Promise(setImmediate);
  };
  return { transport, received, write, kills: () => kills };
}

const notification = fc.record({
  jsonrpc: fc.constant('2.0'),
  method: fc.string({ minLength: 1, maxLength: 20 }),
  params: fc.record({ text: fc.string({ maxLength: 100 }) }),
});

describe('bytes of a server', () => {
  it('[Y10] are the same messages for any chunk sizes, with noise between them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(notification, { maxLength: 10 }),
        fc.array(fc.nat(200), { minLength: 1, maxLength: 20 }),
        fc.constantFrom('', 'not a message\n', '{}\n', '\n'),
        async (messages, cuts, noise) => {
          const rig = await createRig();
          let remaining = Buffer.from(
            messages.map((message) => `${noise}${JSON.stringify(message)}\n`).join(''),
          );
          for (let index = 0; remaining.length > 0; index++) {
            const size = (cuts[index % cuts.length] ?? 0) + 1;
            await rig.write(remaining.subarray(0, size));
            remaining = remaining.subarray(size);
          }
          expect(rig.received).toEqual(messages);
          expect(rig.transport.ending).toBeUndefined();
        },
      ),
    );
  });

  it.each([
    ['a message that is too long', 'x'.repeat(3_000), /message of more than 2000 bytes/],
    ['too much that is no message', 'noise\n'.repeat(100), /more than 500 bytes to stdout/],
    ['too many messages', '{"jsonrpc":"2.0","method":"m"}\n'.repeat(60), /more than 50 unrequested messages/],
    [
      'responses without a request',
      '{"jsonrpc":"2.0","id":7,"result":{}}\n'.repeat(60),
      /more than 50 unrequested messages/,
    ],
  ])('[Y10] %s stops the server', async (_, bytes, reason) => {
    const rig = await createRig();
    await rig.write(Buffer.from(bytes));
    expect(rig.transport.ending).toMatch(reason);
    expect(rig.kills()).toBe(1);
    await expect(rig.transport.send({ jsonrpc: '2.0', method: 'm' })).rejects.toThrow(reason);
  });
});

describe('a file with servers', () => {
  it('[Y9] of any content is parsed, or rejected with a sentence', () => {
    const entry = fc.oneof(
      fc.anything(),
      fc.record({ command: fc.anything(), args: fc.anything(), env: fc.anything() }),
    );
    const file = fc.dictionary(fc.string(), entry).map((servers) => toText({ mcpServers: servers }));
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), file), (text) => {
        try {
          const { servers } = parseServersFile(text);
          expect(new Set(servers.map(({ id }) => id)).size).toBe(servers.length);
        } catch (error) {
          expect(error).toBeInstanceOf(CrewError);
        }
      }),
    );
  });
});

function toText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part)) ?? '';
}
