/** A `FileHandle` whose operations happen when the scheduler picks them. */
import type fs from 'node:fs';

type Fs = typeof fs;

type Schedule = <T>(label: string, run: () => T) => Promise<T>;

export function createSimulatedHandle(fd: number, fs: Fs, schedule: Schedule) {
  let isOpen = true;
  return {
    fd,
    read: async (buffer: Buffer, offset?: number, length?: number, position?: number | null) => {
      const bytesRead = await schedule('read', () =>
        fs.readSync(fd, buffer, offset ?? 0, length ?? buffer.length - (offset ?? 0), position ?? null),
      );
      return { bytesRead, buffer };
    },
    write: async (data: Uint8Array, offset?: number, length?: number, position?: number | null) => {
      const bytesWritten = await schedule('write', () => fs.writeSync(fd, data, offset, length, position));
      return { bytesWritten, buffer: data };
    },
    readFile: (options?: BufferEncoding | { readonly encoding?: BufferEncoding }) =>
      schedule('readFile', () => fs.readFileSync(fd, options as never)),
    writeFile: (data: string | Uint8Array) => schedule('writeFile', () => fs.writeFileSync(fd, data)),
    appendFile: (data: string | Uint8Array) => schedule('appendFile', () => fs.appendFileSync(fd, data)),
    stat: (options?: { readonly bigint?: boolean }) =>
      schedule('fstat', () => fs.fstatSync(fd, options as never)),
    truncate: (length?: number) => schedule('ftruncate', () => fs.ftruncateSync(fd, length)),
    chmod: (mode: number) => schedule('fchmod', () => fs.fchmodSync(fd, mode)),
    utimes: () => schedule('futimes', () => undefined),
    sync: () => schedule('fsync', () => fs.fsyncSync(fd)),
    datasync: () => schedule('fdatasync', () => fs.fdatasyncSync(fd)),
    async close() {
      if (!isOpen) return;
      isOpen = false;
      await schedule('close', () => fs.closeSync(fd));
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}
