/**
 * Compiled code of the program, one file per command: a cache in the private store, because code that other users could write
 * would be theirs to change, and code that the build puts beside the program. Both may be deleted at any time.
 */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { replaceFileSync } from '../../base/durable-files.ts';
import { ifSystemAllows } from '../../base/errno.ts';
import { makeFolders } from '../../base/make-folders.ts';

export interface CompiledCodeFile {
  /** Code by the name of its source file; empty if the file is missing or damaged. */
  read(): Map<string, Buffer>;
  /** The code that another command stored last: commands have files in common. */
  readOther(): Map<string, Buffer>;
  write(code: ReadonlyMap<string, Buffer>): void;
}

/** Folders of other versions of Node are removed when they have stored nothing for this long. */
const UNUSED_MS = 30 * 24 * 60 * 60 * 1000;

/** The cache of a command. `root`: a folder that `secureStoreRoot` accepted. */
export function createCompiledCodeFile(root: string, command: string): CompiledCodeFile {
  return openCompiledCodeFile(join(root, 'cache', 'code'), command);
}

/** `versions`: has a folder for each version of Node. */
export function openCompiledCodeFile(versions: string, command: string): CompiledCodeFile {
  const folder = join(versions, `${process.version}-${process.arch}`);
  const file = join(folder, command);
  return {
    read: () => ifSystemAllows(() => readCode(file)) ?? new Map(),
    readOther: () =>
      ifSystemAllows(() => {
        const [latest] = listByAge(folder).filter(({ path }) => path !== file);
        return latest && readCode(latest.path);
      }) ?? new Map(),
    write(code) {
      ifSystemAllows(() => {
        const isNew = makeFolders(folder, 0o700) !== undefined;
        replaceFileSync(file, formatCode(code));
        if (!isNew) return;
        const unused = listByAge(versions).filter(({ mtimeMs }) => Date.now() - mtimeMs > UNUSED_MS);
        for (const { path } of unused) rmSync(path, { recursive: true, force: true });
      });
    },
  };
}

/** The most recently changed entry first. */
function listByAge(folder: string): { readonly path: string; readonly mtimeMs: number }[] {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => ({ path, mtimeMs: statSync(path).mtimeMs }))
    .sort((one, other) => other.mtimeMs - one.mtimeMs);
}

function readCode(file: string): Map<string, Buffer> {
  try {
    return parseCode(readFileSync(file));
  } catch (error) {
    if (error instanceof SyntaxError) return new Map();
    throw error;
  }
}

/** The first line, followed by the code. */
interface Header {
  /** Of the code: V8 aborts the process if it is damaged. Not a hash of `node:crypto`, which takes Node three times as long to load. */
  readonly crc32: number;
  readonly files: readonly (readonly [name: string, size: number])[];
}

const LINE_BREAK = 0x0a;

function parseCode(content: Buffer): Map<string, Buffer> {
  let offset = content.indexOf(LINE_BREAK) + 1;
  const { crc32: expected, files } = JSON.parse(content.toString('utf8', 0, offset)) as Header;
  const code = new Map<string, Buffer>();
  if (expected !== crc32(content.subarray(offset))) return code;
  for (const [name, size] of files) {
    code.set(name, content.subarray(offset, offset + size));
    offset += size;
  }
  return code;
}

function formatCode(code: ReadonlyMap<string, Buffer>): Buffer {
  const content = Buffer.concat([...code.values()]);
  const header: Header = {
    crc32: crc32(content),
    files: [...code].map(([name, { length }]) => [name, length]),
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), content]);
}
