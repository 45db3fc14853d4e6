/**
 * Writes zip files byte by byte, so that tests can create invalid ones.
 */
import { randomBytes } from 'node:crypto';
import { crc32, deflateRawSync } from 'node:zlib';

export interface RawEntry {
  name: string | Buffer;
  data?: Buffer | string;
  /** 0 stored, 8 deflated (the default), anything else is written as given. */
  method?: number;
  flags?: number;
  /** Unix file type and permissions. */
  mode?: number;
  declaredSize?: number;
  declaredCrc?: number;
}

export function rawZip(entries: readonly RawEntry[]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.isBuffer(entry.name) ? entry.name : Buffer.from(entry.name);
    const data = Buffer.isBuffer(entry.data) ? entry.data : Buffer.from(entry.data ?? '');
    const method = entry.method ?? 8;
    const packed = method === 8 ? deflateRawSync(data) : data;
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE((entry.flags ?? 0) | 0x800, 2);
    shared.writeUInt16LE(method, 4);
    shared.writeUInt32LE(0x00210000, 6);
    shared.writeUInt32LE((entry.declaredCrc ?? crc32(data)) >>> 0, 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(entry.declaredSize ?? data.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), shared, name, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(((entry.mode ?? 0o100644) * 0x10000) >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 3]), shared, tail, name]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

/** A zip of plain text files. */
export function zipOf(files: Readonly<Record<string, string>>, more: readonly RawEntry[] = []): Buffer {
  return rawZip([...Object.entries(files).map(([name, data]) => ({ name, data })), ...more]);
}

/** Five entries of the directory point to one stored file. Each alone would be valid; together they are longer than the zip. */
export function zipOfSharedBytes(): Buffer {
  const one = rawZip([{ name: 'a', data: randomBytes(1_000), method: 0 }]);
  const end = one.length - 22;
  const begin = one.readUInt32LE(end + 16);
  const entries = ['a', 'b', 'c', 'd', 'e'].map((name) => {
    const entry = Buffer.from(one.subarray(begin, end));
    entry.write(name, entry.length - 1);
    return entry;
  });
  const directory = Buffer.concat(entries);
  const tail = Buffer.from(one.subarray(end));
  tail.writeUInt16LE(entries.length, 8);
  tail.writeUInt16LE(entries.length, 10);
  tail.writeUInt32LE(directory.length, 12);
  return Buffer.concat([one.subarray(0, begin), directory, tail]);
}
