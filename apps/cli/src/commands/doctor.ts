/** `crewagent doctor`: checks the machine, the model and the MCP servers. */
import {
  CrewError,
  type Diagnosis,
  diagnose,
  type ModelTest,
  openDiskStore,
  type Store,
  testModel,
  testServer,
} from '@crewagent/core';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { describeModel } from '../print/describe-work.ts';
import { fit } from '../print/text/cells.ts';
import type { machine } from '../print/texts/en/machine.ts';
import { type Say, say } from '../print/texts/say.ts';
import { secureRoot } from '../secure-root.ts';
import { watchSignals } from '../signals.ts';
import { print, sanitize, style } from '../terminal.ts';
import { type ModelOptions, toModelChoice } from './run-options.ts';

interface Check {
  readonly name: keyof (typeof machine)['doctor']['name'];
  /** `note` does not prevent runs from working. */
  readonly state: 'ok' | 'note' | 'bad';
  readonly detail: string;
  readonly fix?: string;
}

export async function doctor(options: ModelOptions & { json?: true }): Promise<ExitCode> {
  const store = openDiskStore(secureRoot({ mayBeFile: true }), undefined, hostProcess().env);
  const checks: Check[] = [];
  const add = (check: Check): void => {
    checks.push(check);
    if (!options.json) printCheck(check);
  };
  // What programs read does not depend on the terminal.
  const tell: Say = options.json ? (key, params) => say(key, params, 'en') : say;
  add(checkNode(tell));
  const diagnosis = await diagnose(store);
  for (const check of checkMachine(diagnosis, tell)) add(check);
  if (diagnosis.settings.problem === undefined) {
    const signals = watchSignals();
    try {
      const choice = toModelChoice(options);
      const test = await testModel(choice, { store, env: hostProcess().env, signal: signals.signal });
      for (const check of checkModel(test, tell)) add(check);
    } catch (error) {
      if (!(error instanceof CrewError)) throw error;
      add({ name: 'model', state: 'bad', detail: error.message });
    } finally {
      signals.end();
    }
    for (const check of await checkServers(store, tell)) add(check);
  }
  const isHealthy = checks.every(({ state }) => state !== 'bad');
  if (options.json) print(JSON.stringify({ ok: isHealthy, checks }));
  return isHealthy ? EXIT.ok : EXIT.failed;
}

const MARKS = { ok: ['green', '✓'], note: ['yellow', '!'], bad: ['red', '✗'] } as const;

function printCheck({ name, state, detail, fix }: Check): void {
  const [colour, mark] = MARKS[state];
  const label = fit(say(`doctor.name.${name}`), 10);
  print(`${style(colour, mark)} ${style('bold', label)} ${sanitize(detail)}`);
  if (fix !== undefined) print(`  ${' '.repeat(10)} ${style('cyan', '→')} ${sanitize(fix)}`);
}

const OLDEST_NODE = [20, 19] as const;

/** `fix`: for a check that failed. */
function toCheck(name: Check['name'], detail: string, problem: string | undefined, fix?: string): Check {
  return problem === undefined ? { name, state: 'ok', detail } : { name, state: 'bad', detail: problem, fix };
}

function checkNode(tell: Say): Check {
  const { version } = process;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isNewEnough = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  const problem = isNewEnough ? undefined : tell('doctor.oldNode', { version });
  return toCheck('node', version, problem, tell('doctor.installNode', { version: OLDEST_NODE.join('.') }));
}

function* checkMachine(found: Diagnosis, tell: Say): Generator<Check> {
  const { store, settings, ripgrep, projects, packages } = found;
  const { root, problem } = store;
  const where = store.exists ? root : tell('doctor.newStore', { root });
  const unwritable = problem && tell('doctor.unwritable', { root, problem });
  yield toCheck('store', where, unwritable, tell('doctor.fixStore'));
  yield toCheck('settings', settings.file, settings.problem, tell('doctor.fixSettings'));
  yield ripgrep === undefined
    ? {
        name: 'search',
        state: 'note',
        detail: tell('doctor.noRipgrep'),
        fix: tell('doctor.installRipgrep'),
      }
    : { name: 'search', state: 'ok', detail: tell('doctor.ripgrep', { path: ripgrep }) };
  yield found.hasKernelLocks
    ? { name: 'locks', state: 'ok', detail: tell('doctor.kernelLocks') }
    : { name: 'locks', state: 'note', detail: tell('doctor.lockFiles') };
  if (projects.problem !== undefined)
    yield toCheck('projects', '', projects.problem, tell('doctor.fixFile', { file: projects.file }));
  yield toCheck('packages', tell('doctor.installed', { number: packages.count }), packages.problem);
  yield checkRuns(found.runs, tell);
}

function checkRuns({ count, interrupted, damaged, problem }: Diagnosis['runs'], tell: Say): Check {
  const note = (detail: string, fix: string): Check => ({ name: 'runs', state: 'note', detail, fix });
  if (problem === undefined && damaged > 0)
    return note(tell('doctor.damaged', { number: count, damaged }), tell('doctor.deleteDamaged'));
  if (problem === undefined && interrupted > 0)
    return note(tell('doctor.interrupted', { number: count, interrupted }), tell('doctor.resume'));
  return toCheck('runs', tell('doctor.runs', { count }), problem);
}

/** Starts each enabled MCP server, one after the other. */
async function checkServers(store: Store, tell: Say): Promise<Check[]> {
  const { mcp, tools } = await store.settings.load();
  const checks: Check[] = [];
  for (const [id, { enabled }] of Object.entries(mcp.servers)) {
    if (!enabled || !tools.mcp.enabled) continue;
    const { ok, ms, error = '', needsLogin, tools: offered } = await testServer(store, id, { signal: NEVER });
    const fix = tell(needsLogin ? 'doctor.signIn' : 'doctor.testServer', { id });
    const detail = tell('doctor.server', { id, count: offered.length, ms });
    checks.push(
      ok
        ? { name: 'mcp', state: 'ok', detail }
        : { name: 'mcp', state: 'note', detail: `${id}: ${error}`, fix },
    );
  }
  return checks;
}

const NEVER = new AbortController().signal;

function* checkModel({ model, report, keyNames = [], useNext }: ModelTest, tell: Say): Generator<Check> {
  if (!report) {
    const isRehearsal = model.kind === 'rehearsal';
    yield {
      name: 'model',
      state: 'note',
      detail: isRehearsal ? tell('doctor.noModel') : describeModel(model, tell),
      fix: isRehearsal ? tell('doctor.addModel') : undefined,
    };
    return;
  }
  const [used = '', ...otherKeys] = keyNames;
  if (otherKeys.length > 0) {
    const others = otherKeys.map((name) => `"${name}"`).join(', ');
    const detail = tell(useNext ? 'doctor.nextKey' : 'doctor.otherKeys', { used, others });
    yield { name: 'keys', state: 'ok', detail };
  }
  const described = describeModel(model, tell);
  const failed = report.steps.find(({ ok }) => !ok);
  if (failed) {
    yield { name: 'model', state: 'bad', detail: `${described}: ${failed.detail}` };
    return;
  }
  const abilities = report.streams ? 'doctor.streams' : 'doctor.callsTools';
  yield {
    name: 'model',
    state: 'ok',
    detail: tell(abilities, { model: described, ms: report.latencyMs ?? 0 }),
  };
  for (const detail of missingOf(report, tell)) yield { name: 'model', state: 'note', detail };
}

/** Missing abilities of the model that a run can do without. */
function* missingOf(
  { streams, abilities, context }: NonNullable<ModelTest['report']>,
  tell: Say,
): Generator<string> {
  if (!streams) yield tell('doctor.noStreams');
  if (abilities?.parallelCalls === false) yield tell('doctor.oneCall');
  if (abilities?.jsonArguments === false) yield tell('doctor.wrongArguments');
  const { fits, tokens = 0, neededTokens: needed } = context;
  if (!fits) yield tell('doctor.smallContext', { tokens, needed });
}
