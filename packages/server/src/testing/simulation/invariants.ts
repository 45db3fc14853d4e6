/**
 * What holds after every step of a simulation, whatever died and when. Reads the disk as it is, without the code under test.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ledger } from './ledger.ts';
import type { World } from './world.ts';

/** One line of a log. */
interface LoggedEvent {
  readonly seq: number;
  readonly type: string;
  readonly callId?: string;
  readonly name?: string;
  readonly outcome?: string;
  readonly purpose?: string;
  readonly content?: string;
  readonly answers?: Readonly<Record<string, unknown>>;
  readonly note?: string;
}

export interface Scene {
  readonly world: World;
  readonly ledger: Ledger;
  /** By the id of the Work. */
  readonly logs: ReadonlyMap<string, Log>;
  /** The logs of the step before; empty after a power loss, which may take what was not synced. */
  readonly before: ReadonlyMap<string, Log>;
}

interface Log {
  readonly lines: readonly string[];
  readonly events: readonly LoggedEvent[];
}

/** Each returns what is wrong. */
export const INVARIANTS: Readonly<Record<string, (scene: Scene) => readonly string[]>> = {
  'a created Work exists until it is removed': ({ ledger, logs }) =>
    [...ledger.works]
      .filter(([workId, { removal }]) => removal === 'none' && !logs.has(workId))
      .map(([workId]) => `${workId} is gone`),

  'a removed Work stays removed': ({ ledger, logs }) =>
    [...ledger.works]
      .filter(([workId, { removal }]) => removal === 'done' && logs.has(workId))
      .map(([workId]) => `${workId} is there again`),

  'accepted answers, decisions and inputs are in the log': ({ ledger, logs }) =>
    ledger.promised
      .filter(({ workId, text }) => logs.get(workId)?.lines.every((line) => !line.includes(text)))
      .map(({ what, text }) => `the ${what} "${text}" is lost`),

  'a log only grows': ({ logs, before }) =>
    [...before].flatMap(([workId, { lines }]) => {
      const now = logs.get(workId);
      if (!now) return [];
      const at = lines.findIndex((line, index) => now.lines[index] !== line);
      return at < 0 ? [] : [`line ${at + 1} of ${workId} was ${lines[at]}, and is ${now.lines[at]}`];
    }),

  'the events of a log are numbered without gaps': ({ logs }) =>
    eachLog(logs, ({ events }) =>
      events.filter(({ seq }, index) => seq !== index + 1).map(({ seq }) => `event ${seq} is out of order`),
    ),

  'a call, an answer, a decision and an input happen once': ({ logs }) =>
    eachLog(logs, ({ events }) => [
      ...twice(events, 'tool.ended', ({ callId }) => callId),
      ...twice(events, 'question.answered', ({ callId }) => callId),
      ...twice(events, 'question.answered', ({ answers }) => String(answers?.q)),
      ...twice(events, 'approval.resolved', ({ note }) => note),
      ...twice(events, 'message.completed', ({ purpose, content }) =>
        purpose === 'input' ? content : undefined,
      ),
    ]),

  'a file that a tool has written is there': ({ world, logs }) =>
    eachLog(logs, ({ events }) =>
      events
        .filter(({ type, name, outcome }) => type === 'tool.ended' && name === 'fs.write' && outcome === 'ok')
        .filter(
          ({ callId }) =>
            readIfThere(join(world.project, `effects/${callId}.md`)) !== `Effect of ${callId}.\n`,
        )
        .map(({ callId }) => `the file of ${callId} is lost`),
    ),

  'no effect happens twice': ({ world }) =>
    [...world.writes]
      .filter(([, times]) => times > 1)
      .map(([path, times]) => `${path} was written ${times} times`),

  'a model is not asked again for a reply that is in the log': ({ world, ledger, logs }) => {
    const workOf = new Map([...ledger.works].map(([workId, { model }]) => [model, workId]));
    return world.received.flatMap(({ model, body, callIds = [] }, index) => {
      const [callId] = callIds;
      const log = logs.get(workOf.get(model) ?? '');
      if (callId === undefined || !log?.events.some((event) => event.callId === callId)) return [];
      const again = world.received
        .slice(index + 1)
        .some((later) => later.model === model && later.body === body);
      return again ? [`${model} was asked again for ${callId}`] : [];
    });
  },

  'settings of other processes are kept': ({ world, ledger }) => {
    const text = readIfThere(join(world.store, 'settings.json')) ?? '';
    return [...ledger.settings]
      .filter((name) => !text.includes(`"${name}"`))
      .map((name) => `${name} is lost`);
  },

  'nobody is overtaken without bound': ({ world }) => world.overtaken,

  'no internal errors': ({ world }) => world.bugs,
};

function eachLog(logs: Scene['logs'], check: (log: Log) => string[]): string[] {
  return [...logs].flatMap(([workId, log]) => check(log).map((problem) => `${workId}: ${problem}`));
}

function twice(
  events: readonly LoggedEvent[],
  type: string,
  keyOf: (event: LoggedEvent) => string | undefined,
): string[] {
  const seen = new Set<string>();
  return events
    .filter((event) => event.type === type)
    .map(keyOf)
    .filter((key) => key !== undefined && (seen.has(key) || !seen.add(key)))
    .map((key) => `${type} of ${key} twice`);
}

/** The logs of all Works. An incomplete last line does not count: the next write replaces it. */
export function readLogs(store: string): Map<string, Log> {
  const logs = new Map<string, Log>();
  const projects = join(store, 'projects');
  for (const project of namesIn(projects)) {
    const runs = join(projects, project, 'runs');
    for (const workId of namesIn(runs)) {
      const text = workId.startsWith('.')
        ? undefined
        : readIfThere(join(runs, workId, 'logs/execution.jsonl'));
      if (text === undefined) continue;
      const lines = text.split('\n').slice(0, -1);
      logs.set(workId, { lines, events: lines.map((line) => JSON.parse(line) as LoggedEvent) });
    }
  }
  return logs;
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
