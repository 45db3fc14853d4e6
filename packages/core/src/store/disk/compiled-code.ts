/**
 * Cache of compiled code of the program, one file per command. It is in the private store, because code that other users could
 * write would be theirs to change. May be deleted at any time.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFileSync } from '../../base/durable-files.ts';
import { errnoOf } from '../../base/errno.ts';

export interface CompiledCodeFile {
  /** Code by the name of its source file; empty if the file is missing or damaged. */
  read(): Map<string, Buffer>;
  write(code: ReadonlyMap<string, Buffer>): void;
}

/** `root`: a folder that `secureStoreRoot` accepted. */
export function createCompiledCodeFile(root: string, command: string): CompiledCodeFile {
  const file = join(root, 'cache', 'code', `${process.version}-${process.arch}`, command);
  return {
    read() {
      try {
        return parseCode(readFileSync(file));
      } catch (error) {
        if (!(error instanceof SyntaxError) && errnoOf(error) === undefined) throw error;
        return new Map();
      }
    },
    /** Ignores disk errors: the cache only saves time. */
    write(code) {
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        replaceFileSync(file, formatCode(code));
      } catch (error) {
        if (errnoOf(error) === undefined) throw error;
      }
    },
  };
}

/** The first line, followed by the code. */
interface Header {
  /** Of the code: V8 aborts the process if it is damaged. */
  readonly sha256: string;
  readonly files: readonly (readonly [name: string, size: number])[];
}

const LINE_BREAK = 0x0a;

function parseCode(content: Buffer): Map<string, Buffer> {
  let offset = content.indexOf(LINE_BREAK) + 1;
  const { sha256, files } = JSON.parse(content.toString('utf8', 0, offset)) as Header;
  const code = new Map<string, Buffer>();
  if (sha256 !== hashOf(content.subarray(offset))) return code;
  for (const [name, size] of files) {
    code.set(name, content.subarray(offset, offset + size));
    offset += size;
  }
  return code;
}

function formatCode(code: ReadonlyMap<string, Buffer>): Buffer {
  const content = Buffer.concat([...code.values()]);
  const header: Header = {
    sha256: hashOf(content),
    files: [...code].map(([name, { length }]) => [name, length]),
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), content]);
}

function hashOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
