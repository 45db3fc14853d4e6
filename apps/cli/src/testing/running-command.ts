/**
 * Runs one command under test: in this process, with its own streams and signals, or as a child process.
 */
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type HostProcess, runInHost } from '../host-process.ts';
import { runProgram } from '../program.ts';

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
export const ENTRY = join(ROOT, 'apps/cli/dist/crewagent.js');

export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  /** Resolves when standard output holds the text. */
  printed(text: string): Promise<void>;
  /** Standard output so far. */
  out(): string;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<Outcome>;
}

export interface CommandSetting {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Content of standard input. */
  readonly input?: string;
}

export type Streams = Pick<HostProcess, 'stdin' | 'stdout' | 'stderr'>;

/**
 * Runs the sources in this process, which is ten times cheaper than a child process. The working directory is that of
 * the process: commands with different working directories cannot run concurrently.
 */
export function startCommand(
  args: readonly string[],
  { cwd, env, input = '' }: CommandSetting,
  streams?: Streams,
): Running {
  process.chdir(cwd);
  const output = collectOutput();
  const signals = new EventEmitter();
  const host: HostProcess = {
    argv: [process.execPath, ENTRY, ...args],
    env,
    stdin: new PassThrough().end(input),
    stdout: toStream((text) => output.addOut(text)),
    stderr: toStream((text) => output.addErr(text)),
    ...streams,
    on: (signal, listener) => signals.on(signal, listener),
    off: (signal, listener) => signals.off(signal, listener),
    exit(code) {
      throw new Error(`The command ends its process with ${code}; use spawnCommand to test that.`);
    },
  };
  const ended = runInHost(host, () => runProgram(args)).then((code) => {
    const left = signals.eventNames();
    if (left.length > 0) throw new Error(`The command still listens for ${left.join(', ')} after its end.`);
    return { code, ...output.texts() };
  });
  return output.toRunning(ended, (signal) => {
    if (signal === 'SIGKILL') throw new Error('Only a process can be killed; use spawnCommand.');
    runInHost(host, () => signals.emit(signal, signal));
  });
}

/** Starts the built program, for behaviour that needs a real process: signals, pipes, locks, crashes. */
export function spawnCommand(args: readonly string[], { cwd, env, input = '' }: CommandSetting): Running {
  const output = collectOutput();
  const child = spawn(process.execPath, [ENTRY, ...args], { cwd, env });
  child.stdin.end(input);
  child.stdout.setEncoding('utf8').on('data', (text: string) => output.addOut(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => output.addErr(text));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...output.texts() }));
  return output.toRunning(ended, (signal) => child.kill(signal));
}

export function toStream(onText: (text: string) => void): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _, done) {
      onText(chunk.toString());
      done();
    },
  });
}

function collectOutput() {
  let [out, err] = ['', ''];
  const waiting = new Set<() => void>();
  return {
    addOut(text: string): void {
      out += text;
      for (const check of waiting) check();
    },
    addErr(text: string): void {
      err += text;
    },
    texts: () => ({ out, err }),
    toRunning: (ended: Promise<Outcome>, kill: Running['kill']): Running => ({
      ended,
      kill,
      out: () => out,
      printed: (text) =>
        new Promise((resolve, reject) => {
          const check = (): void => {
            if (!out.includes(text)) return;
            waiting.delete(check);
            resolve();
          };
          waiting.add(check);
          check();
          const fail = (): void =>
            reject(new Error(`The command ended without printing "${text}": ${out}${err}`));
          ended.then(fail, fail);
        }),
    }),
  };
}
