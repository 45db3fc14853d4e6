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
import { plural } from '../print/print-diagnostics.ts';
import { secureRoot } from '../secure-root.ts';
import { watchSignals } from '../signals.ts';
import { print, sanitize, style } from '../terminal.ts';
import { type ModelOptions, toModelChoice } from './run-options.ts';

interface Check {
  readonly name: string;
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
  add(checkNode());
  const diagnosis = await diagnose(store);
  for (const check of checkMachine(diagnosis)) add(check);
  if (diagnosis.settings.problem === undefined) {
    const signals = watchSignals();
    try {
      const choice = toModelChoice(options);
      const test = await testModel(choice, { store, env: hostProcess().env, signal: signals.signal });
      for (const check of checkModel(test)) add(check);
    } catch (error) {
      if (!(error instanceof CrewError)) throw error;
      add({ name: 'model', state: 'bad', detail: error.message });
    } finally {
      signals.end();
    }
    for (const check of await checkServers(store)) add(check);
  }
  const isHealthy = checks.every(({ state }) => state !== 'bad');
  if (options.json) print(JSON.stringify({ ok: isHealthy, checks }));
  return isHealthy ? EXIT.ok : EXIT.failed;
}

const MARKS = { ok: ['green', '✓'], note: ['yellow', '!'], bad: ['red', '✗'] } as const;

function printCheck({ name, state, detail, fix }: Check): void {
  const [colour, mark] = MARKS[state];
  print(`${style(colour, mark)} ${style('bold', name.padEnd(10))} ${sanitize(detail)}`);
  if (fix !== undefined) print(`  ${' '.repeat(10)} ${style('cyan', '→')} ${sanitize(fix)}`);
}

const OLDEST_NODE = [20, 19] as const;

/** `fix`: for a check that failed. */
function toCheck(name: string, detail: string, problem: string | undefined, fix?: string): Check {
  return problem === undefined ? { name, state: 'ok', detail } : { name, state: 'bad', detail: problem, fix };
}

function checkNode(): Check {
  const { version } = process;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isNewEnough = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  const problem = isNewEnough ? undefined : `${version} is too old`;
  return toCheck('node', version, problem, `install Node.js ${OLDEST_NODE.join('.')} or later`);
}

function* checkMachine(found: Diagnosis): Generator<Check> {
  const { store, settings, ripgrep, projects, packages } = found;
  const where = store.exists ? store.root : `${store.root} (created with the first run)`;
  const unwritable = store.problem && `${store.root} is not writable: ${store.problem}`;
  yield toCheck(
    'store',
    where,
    unwritable,
    'fix its permissions, or choose another folder with CREWAGENT_HOME',
  );
  yield toCheck('settings', settings.file, settings.problem, 'set the field again, or edit the file');
  yield ripgrep === undefined
    ? {
        name: 'search',
        state: 'note',
        detail: 'ripgrep was not found; search works, but is slower',
        fix: 'install ripgrep 13 or later',
      }
    : { name: 'search', state: 'ok', detail: `ripgrep at ${ripgrep}` };
  yield found.hasKernelLocks
    ? { name: 'locks', state: 'ok', detail: 'provided by the operating system' }
    : {
        name: 'locks',
        state: 'note',
        detail: 'lock files, because the operating system provides no locks here',
      };
  if (projects.problem !== undefined) yield toCheck('projects', '', projects.problem, `fix ${projects.file}`);
  yield toCheck('packages', `${packages.count} installed`, packages.problem);
  yield checkRuns(found.runs);
}

function checkRuns({ count, interrupted, damaged, problem }: Diagnosis['runs']): Check {
  const note = (detail: string, fix: string): Check => ({ name: 'runs', state: 'note', detail, fix });
  if (problem === undefined && damaged > 0)
    return note(
      `${count}, ${damaged} of them damaged`,
      'crewagent runs lists them; crewagent runs delete RUN deletes one',
    );
  if (problem === undefined && interrupted > 0)
    return note(`${count}, ${interrupted} interrupted`, 'crewagent resume RUN resumes one');
  return toCheck('runs', plural(count, 'run'), problem);
}

/** Starts each enabled MCP server, one after the other. */
async function checkServers(store: Store): Promise<Check[]> {
  const { mcp, tools } = await store.settings.load();
  const checks: Check[] = [];
  for (const [id, { enabled }] of Object.entries(mcp.servers)) {
    if (!enabled || !tools.mcp.enabled) continue;
    const { ok, ms, error = '', needsLogin, tools: offered } = await testServer(store, id, { signal: NEVER });
    const fix = needsLogin
      ? `sign in with: crewagent mcp login ${id}`
      : `run crewagent mcp test ${id} for details`;
    const detail = `${id}: ${plural(offered.length, 'tool')}, started in ${ms} ms`;
    checks.push(
      ok
        ? { name: 'mcp', state: 'ok', detail }
        : { name: 'mcp', state: 'note', detail: `${id}: ${error}`, fix },
    );
  }
  return checks;
}

const NEVER = new AbortController().signal;

function* checkModel({ model, report, keyNames = [], useNext }: ModelTest): Generator<Check> {
  if (!report) {
    const isRehearsal = model.kind === 'rehearsal';
    yield {
      name: 'model',
      state: 'note',
      detail: isRehearsal ? 'no model is set up; runs are rehearsed with placeholders' : describeModel(model),
      fix: isRehearsal
        ? 'crewagent config add-model (a model on this machine), or config add-model NAME --base-url URL --model MODEL'
        : undefined,
    };
    return;
  }
  const [usedKey, ...otherKeys] = keyNames;
  if (otherKeys.length > 0)
    yield {
      name: 'keys',
      state: 'ok',
      detail: `"${usedKey}" is used and tested; ${otherKeys.map((name) => `"${name}"`).join(', ')} ${useNext ? 'when it is refused or has no quota left' : 'only if you choose it'}`,
    };
  const failed = report.steps.find(({ ok }) => !ok);
  if (failed) {
    yield { name: 'model', state: 'bad', detail: `${describeModel(model)}: ${failed.detail}` };
    return;
  }
  const streams = report.streams ? 'streams, ' : '';
  yield {
    name: 'model',
    state: 'ok',
    detail: `${describeModel(model)}: ${streams}calls tools, first reply in ${report.latencyMs} ms`,
  };
  for (const detail of missingOf(report)) yield { name: 'model', state: 'note', detail };
}

/** Missing abilities of the model that a run can do without. */
function* missingOf({ streams, abilities, context }: NonNullable<ModelTest['report']>): Generator<string> {
  if (!streams) yield 'it does not stream: a reply shows when it is complete';
  if (abilities?.parallelCalls === false) yield 'it makes one tool call at a time: steps take more turns';
  if (abilities?.jsonArguments === false)
    yield 'it often passes wrong arguments to tools: choose a more capable one';
  if (!context.fits)
    yield `it takes ${context.tokens} tokens, and our prompts need about ${context.neededTokens}: load it with a larger context`;
}
