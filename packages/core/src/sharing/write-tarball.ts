/** The gzipped tar of an npm package: the same bytes for the same files. */
import { gzipSync } from 'fflate';

const BLOCK = 512;

/** Names are short and ASCII: they are ours. */
export function writeTarball(files: Readonly<Record<string, Uint8Array>>): Buffer {
  const parts = Object.entries(files).flatMap(([name, content]) => [
    toHeader(`package/${name}`, content.length),
    Buffer.from(content),
    Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK),
  ]);
  return Buffer.from(gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]), { level: 6, mtime: 0 }));
}

export function toHeader(name: string, bytes: number, type = '0'): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${bytes.toString(8).padStart(11, '0')}\0`, 124);
  // The date that npm itself uses.
  header.write(`${(499_162_500).toString(8).padStart(11, '0')}\0`, 136);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\x0000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}
