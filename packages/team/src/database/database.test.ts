import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { ConnectionLost, openDatabase } from './database.ts';

/** A message of the protocol: its kind, its length and its content. */
function toMessage(kind: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(kind);
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

it('a server that shuts down in the moment in which it accepts a connection does not end the process', async () => {
  const fatal = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0';
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () =>
      socket.end(
        Buffer.concat([
          toMessage('R', Buffer.alloc(4)),
          toMessage('Z', Buffer.from('I')),
          toMessage('E', Buffer.from(fatal)),
        ]),
      ),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const database = openDatabase(`postgres://crew@127.0.0.1:${(server.address() as AddressInfo).port}/crew`);
  onTestFinished(() => database.close());
  await expect(database.write('select 1')).rejects.toBeInstanceOf(ConnectionLost);
});
