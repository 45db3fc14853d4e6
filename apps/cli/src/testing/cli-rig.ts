/**
 * Runs the command line with its own store and project, which are deleted after the test, once everything started later
 * has ended.
 */
import { mkdir, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type RunEvent, runEventSchema } from '@crewagent/protocol/events';
import type { PhaseReason, RunPhase } from '@crewagent/protocol/run';
import { onTestFinished } from 'vitest';
import { writeTree } from '../../../../packages/core/src/testing/file-tree.ts';
import { type Running, spawnCommand, startCommand } from './running-command.ts';
import { tempDir } from './temp-dir.ts';

export type CliRig = Awaited<ReturnType<typeof createCliRig>>;

/** The project is empty; the working directory is its parent folder. */
export async function createCliRig(env: NodeJS.ProcessEnv = {}) {
  const folder = tempDir();
  const [project, store] = [join(folder, 'project'), join(folder, 'store')];
  await mkdir(project);
  const { FORCE_COLOR: _, OPENAI_API_KEY: __, ...own } = process.env;
  const full: NodeJS.ProcessEnv = { ...own, CREWAGENT_HOME: store, ...env };
  const start = (args: readonly string[], input = ''): Running => {
    const running = startCommand(args, { cwd: folder, env: full, input });
    onTestFinished(async () => {
      running.kill('SIGTERM');
      await running.ended.catch(() => undefined);
    });
    return running;
  };
  const spawn = (args: readonly string[], input = ''): Running => {
    const running = spawnCommand(args, { cwd: folder, env: full, input });
    onTestFinished(async () => {
      running.kill('SIGKILL');
      await running.ended;
    });
    return running;
  };
  return {
    folder,
    project,
    store,
    env: full,
    /** Runs one command in this process. */
    run: (...args: string[]) => start(args).ended,
    /** With text on standard input. */
    runWith: (input: string, ...args: string[]) => start(args, input).ended,
    /** A command in this process that keeps running while the test does something else. */
    start: (...args: string[]) => start(args),
    /** The built program as a child process, for behaviour that needs a real process. */
    spawn: (...args: string[]) => spawn(args),
    /** With text on standard input. */
    spawnWith: (input: string, ...args: string[]) => spawn(args, input),
    /** The folder of the newest run. */
    async lastRun(): Promise<string> {
      const runs: string[] = [];
      for (const id of await readdir(join(store, 'projects'))) {
        for (const run of await readdir(join(store, 'projects', id, 'runs')))
          runs.push(join(store, 'projects', id, 'runs', run));
      }
      const [last] = runs.sort((a, b) => (basename(a) < basename(b) ? 1 : -1));
      if (last === undefined) throw new Error('there is no run');
      return last;
    },
    /** Writes files to a folder beside the project, and returns its path. */
    async write(name: string, files: Readonly<Record<string, string>>): Promise<string> {
      await writeTree(join(folder, name), files);
      return join(folder, name);
    },
  };
}

/** Closes the provider after the test, and returns the options that choose it. */
export function attach<Provider extends { readonly url: string; close(): Promise<void> }>(
  provider: Provider,
): Provider & { readonly options: readonly string[] } {
  onTestFinished(() => provider.close());
  return { ...provider, options: ['--base-url', provider.url, '--model', 'scripted'] };
}

/** Parses `--json` output: events, each validated against the schema, and the result. */
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
