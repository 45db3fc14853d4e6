/**
 * Ids that sort by creation time (UUID version 7). Each id of a generator is greater than the previous one, whatever
 * the clock does.
 */
import { randomBytes } from 'node:crypto';

const MAX_COUNTER = 0xfff;

export function createUuidV7(
  now: () => Date,
  // A function, so that the built program loads `node:crypto` with the first id.
  random: (bytes: number) => Uint8Array = (bytes) => randomBytes(bytes),
): () => string {
  let milliseconds = 0;
  let counter = 0;
  return () => {
    const bytes = Buffer.from(random(16));
    const time = now().getTime();
    if (time > milliseconds) {
      milliseconds = time;
      // Leaves the upper half free, so that many ids fit into one millisecond.
      counter = bytes.readUInt16BE(6) & (MAX_COUNTER >> 1);
    } else if (counter < MAX_COUNTER) {
      counter++;
    } else {
      milliseconds++;
      counter = 0;
    }
    bytes.writeUIntBE(milliseconds, 0, 6);
    bytes.writeUInt16BE(0x7000 | counter, 6);
    bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  };
}
