/**
 * Runs the built program with code that an earlier process compiled. Loads its files itself: Node's loader cannot use such code
 * before version 22.1, and takes half a millisecond to find a file.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';
import {
  type CompiledCodeFile,
  CrewError,
  createCompiledCodeFile,
  defaultStoreRoot,
  openCompiledCodeFile,
  secureStoreRoot,
} from '@crewagent/core';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { withDefaultFlags } from './limit-memory.ts';

/** `entry`: the built file that exports `program.ts`. */
export async function runBuiltProgram(entry: string, args: readonly string[]): Promise<ExitCode> {
  const code = openCompiledCode(args[0] ?? '', dirname(entry));
  const { runProgram } = createLoader(entry, code)(entry) as typeof import('./program.ts');
  const exit = await runProgram(args);
  // Unknown commands are not worth a file.
  if (exit !== EXIT.usage) code.save();
  return exit;
}

interface CompiledCode {
  /** Compiles a file, whose name contains a hash of its content. */
  compile(filename: string): Script;
  /** Stores what was not in the cache. */
  save(): void;
}

/** `dist`: the folder of the built program. */
function openCompiledCode(first: string, dist: string): CompiledCode {
  const command = /^[a-z]+$/.test(first) ? first : 'help';
  const stored = findCodeFile(command);
  const built = openCompiledCodeFile(join(dist, 'code'), command);
  const own = firstCode([() => stored?.read(), built.read]);
  // The first time, what other commands compiled is better than nothing; the functions that this one needs are added.
  const others = own.size === 0 ? firstCode([() => stored?.readOther(), built.readOther]) : undefined;
  const added = new Map<string, Script>();
  return {
    compile(filename) {
      const name = basename(filename);
      const script = compile(filename, own.get(name) ?? others?.get(name));
      if (!own.has(name) || script.cachedDataRejected) added.set(name, script);
      return script;
    },
    save() {
      // The command may have created the store.
      const file = added.size === 0 ? undefined : findCodeFile(command);
      if (!file) return;
      for (const [name, script] of added) {
        const code = withDefaultFlags(() => script.createCachedData());
        own.set(name, code);
      }
      const isCurrent = ([name]: readonly [string, Buffer]): boolean =>
        existsSync(join(dist, 'chunks', name));
      file.write(new Map([...own].filter(isCurrent)));
    },
  };
}

function firstCode(sources: readonly (() => Map<string, Buffer> | undefined)[]): Map<string, Buffer> {
  for (const read of sources) {
    const code = read();
    if (code && code.size > 0) return code;
  }
  return new Map();
}

/** Undefined if there is no store yet, or if it is rejected, which the command that needs it reports. */
function findCodeFile(command: string): CompiledCodeFile | undefined {
  const root = defaultStoreRoot();
  try {
    if (!existsSync(root)) return undefined;
    secureStoreRoot(root);
    return createCompiledCodeFile(root, command);
  } catch (error) {
    if (error instanceof CrewError) return undefined;
    throw error;
  }
}

interface LoadedModule {
  exports: unknown;
}

type ModuleFunction = (
  exports: unknown,
  require: (id: string) => unknown,
  module: LoadedModule,
  filename: string,
  dirname: string,
) => void;

const BEFORE = '(function (exports, require, module, __filename, __dirname) {';
const AFTER = '\n})';
/** Ends the names of files that the cache can find. */
const HASH = /-[\w-]{8}\.js$/;

function createLoader(entry: string, code: CompiledCode): (file: string) => unknown {
  const nodeRequire = createRequire(entry);
  const modules = new Map<string, LoadedModule>();
  const load = (file: string): unknown => {
    const known = modules.get(file) ?? nodeRequire.cache[file];
    if (known) return known.exports;
    const loaded: LoadedModule = { exports: {} };
    modules.set(file, loaded);
    const folder = dirname(file);
    const requireFrom = (id: string): unknown =>
      id.startsWith('.') ? load(join(folder, id)) : nodeRequire(id);
    try {
      const script = HASH.test(file) ? code.compile(file) : compile(file, undefined);
      (script.runInThisContext() as ModuleFunction)(loaded.exports, requireFrom, loaded, file, folder);
    } catch (error) {
      modules.delete(file);
      throw error;
    }
    return loaded.exports;
  };
  return load;
}

function compile(filename: string, cachedData: Buffer | undefined): Script {
  const source = `${BEFORE}${readFileSync(filename, 'utf8')}${AFTER}`;
  return withDefaultFlags(() => new Script(source, { filename, columnOffset: -BEFORE.length, cachedData }));
}
