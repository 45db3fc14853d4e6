import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { ConnectionLost, type DatabaseOptions, openDatabase } from './database.ts';

/** A message of the protocol: its kind, its length and its content. */
function toMessage(kind: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(kind);
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

/** What a server sends when a connection is ready. */
const READY = Buffer.concat([toMessage('R', Buffer.alloc(4)), toMessage('Z', Buffer.from('I'))]);

/** A database whose server answers the first message of each connection, and nothing else. */
async function openFake(answer: (socket: Socket) => void, options: DatabaseOptions = {}) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const database = openDatabase(`postgres://crew@127.0.0.1:${port}/crew`, options);
  onTestFinished(() => database.close());
  return database;
}

it('a server that shuts down in the moment in which it accepts a connection does not end the process', async () => {
  const fatal = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0';
  const database = await openFake((socket) =>
    socket.end(Buffer.concat([READY, toMessage('E', Buffer.from(fatal))])),
  );
  await expect(database.write('select 1')).rejects.toBeInstanceOf(ConnectionLost);
});

it('a server that hangs is noticed', async () => {
  const database = await openFake((socket) => socket.write(READY), { statementMs: 50 });
  await expect(database.write('select 1')).rejects.toBeInstanceOf(ConnectionLost);
  await expect(database.transaction(({ write }) => write('select 1'))).rejects.toBeInstanceOf(ConnectionLost);
});
