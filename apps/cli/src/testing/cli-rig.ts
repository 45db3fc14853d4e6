/**
 * The built command line as a real process, with a store and a project of its own that vanish after the tests.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RunEvent, runEventSchema } from '@crewagent/protocol/events';
import type { PhaseReason, RunPhase } from '@crewagent/protocol/run';
import { afterAll } from 'vitest';

/** Tests that run side by side cannot clean up one by one. */
const endings: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
export const ENTRY = join(ROOT, 'apps/cli/dist/crewagent.js');

export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface CliRig {
  readonly folder: string;
  readonly project: string;
  readonly store: string;
  readonly env: NodeJS.ProcessEnv;
  run(...args: string[]): Promise<Outcome>;
  /** With something on its standard input. */
  runWith(input: string, ...args: string[]): Promise<Outcome>;
  start(...args: string[]): Running;
  /** The folder of the newest run. */
  lastRun(): Promise<string>;
  /** Files in a folder beside the project; answers where it is. */
  write(name: string, files: Readonly<Record<string, string>>): Promise<string>;
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves when the text has been printed. */
  printed(text: string): Promise<void>;
  readonly ended: Promise<Outcome>;
}

/** The project is empty; the working folder is beside it. */
export async function createCliRig(env: NodeJS.ProcessEnv = {}): Promise<CliRig> {
  const folder = await mkdtemp(join(tmpdir(), 'crewagent-cli-'));
  endings.push(() => rm(folder, { recursive: true, force: true }));
  const [project, store] = [join(folder, 'project'), join(folder, 'store')];
  await mkdir(project);
  const { FORCE_COLOR: _, OPENAI_API_KEY: __, ...own } = process.env;
  const full = { ...own, CREWAGENT_HOME: store, ...env };
  const start = (...args: string[]): Running => startProcess(args, folder, full);
  return {
    folder,
    project,
    store,
    env: full,
    start,
    run(...args) {
      const { child, ended } = start(...args);
      child.stdin.end();
      return ended;
    },
    async lastRun() {
      const runs: string[] = [];
      for (const id of await readdir(join(store, 'projects'))) {
        for (const run of await readdir(join(store, 'projects', id, 'runs')))
          runs.push(join(store, 'projects', id, 'runs', run));
      }
      const [last] = runs.sort((a, b) => (basename(a) < basename(b) ? 1 : -1));
      if (last === undefined) throw new Error('there is no run');
      return last;
    },
    async write(name, files) {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, name, path)), { recursive: true });
        await writeFile(join(folder, name, path), text);
      }
      return join(folder, name);
    },
    runWith(input, ...args) {
      const { child, ended } = start(...args);
      child.stdin.end(input);
      return ended;
    },
  };
}

function startProcess(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Running {
  const child = spawn(process.execPath, [ENTRY, ...args], { cwd, env });
  endings.push(() => child.kill('SIGKILL'));
  let [out, err] = ['', ''];
  const waiting = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    for (const look of waiting) look();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out, err }));
  return {
    child,
    ended,
    printed: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!out.includes(text)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
        void ended.then(() => reject(new Error(`it ended without printing "${text}": ${out}${err}`)));
      }),
  };
}

/** A provider that is closed after the tests, and the options that choose it. */
export function attach<Provider extends { readonly url: string; close(): Promise<void> }>(
  provider: Provider,
): Provider & { readonly options: readonly string[] } {
  endings.push(() => provider.close());
  return { ...provider, options: ['--base-url', provider.url, '--model', 'scripted'] };
}

/** What a run or a conversation printed with --json: events, each held against the schema, and the result. */
export function parseLines<Result = RunResult>(
  out: string,
): { readonly events: RunEvent[]; readonly result: Result } {
  const lines = out.trimEnd().split('\n');
  const result = JSON.parse(lines.pop() ?? '') as Result;
  return { events: lines.map((line) => runEventSchema.parse(JSON.parse(line))), result };
}

export interface RunResult {
  readonly type: 'result';
  readonly runId: string;
  readonly phase: RunPhase;
  readonly reason: PhaseReason | null;
  readonly state: {
    readonly currentNodeId: string;
    readonly stepsCompleted: readonly string[];
    readonly variables: Readonly<Record<string, unknown>>;
    readonly artifacts: readonly string[];
  };
  readonly usage: Readonly<Record<string, number>>;
}

export interface SessionResult extends Pick<RunResult, 'type' | 'phase' | 'reason' | 'usage'> {
  readonly conversationId: string;
  readonly mode: 'agent' | 'run' | 'chat';
  readonly activeRunId: string | null;
  readonly state?: RunResult['state'];
}
