/** `crewagent connect`, `disconnect` and `export-skill`: our server in the configuration of another agent. */
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { CrewError, defaultStoreRoot } from '@crewagent/core';
import {
  AGENTS,
  applyChange,
  type ConnectionRequest,
  findCommand,
  isAgentName,
  type Launch,
  type PlannedChange,
  planConnection,
  planDisconnection,
} from '@crewagent/doors/connect';
import { createTwoFilesPatch } from 'diff';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { printDiff } from '../print/print-diff.ts';
import { say } from '../print/texts/say.ts';
import { isInteractive, print, printDone, sanitize, style } from '../terminal.ts';

export interface ConnectOptions {
  readonly scope?: string;
  readonly project?: string;
  readonly yes?: true;
}

export async function connect(name: string, options: ConnectOptions): Promise<ExitCode> {
  const request = toRequest(name, options);
  const plan = await planConnection(request, toLaunch(request));
  const { title } = AGENTS[request.agent];
  if (plan.after === plan.before) {
    print(say('connect.already', { agent: title, file: sanitize(plan.file) }));
    return EXIT.ok;
  }
  if (!(await applyShown(plan, request, options))) return EXIT.ok;
  printDone(say('connect.done', { agent: title }));
  const command = sanitize(`crewagent disconnect ${request.agent}${toScopeFlag(options)}`);
  print(style('dim', `  ${say('connect.undo', { command })}`));
  if (ownStore(request) !== undefined && request.scope === 'project') print(`  ${say('connect.noHome')}`);
  return EXIT.ok;
}

export async function disconnect(name: string, options: ConnectOptions): Promise<ExitCode> {
  const request = toRequest(name, options);
  const plan = await planDisconnection(request);
  const { title } = AGENTS[request.agent];
  if (plan.after === plan.before) {
    print(say('connect.notConnected', { agent: title, file: sanitize(plan.file) }));
    return EXIT.ok;
  }
  if (await applyShown(plan, request, options)) printDone(say('connect.disconnected', { agent: title }));
  return EXIT.ok;
}

/** Shows the change first. False if the person does not want it. */
async function applyShown(
  plan: PlannedChange,
  request: ConnectionRequest,
  { yes }: ConnectOptions,
): Promise<boolean> {
  const { file, before = '', after = '' } = plan;
  const ends = [
    plan.before === undefined ? '/dev/null' : file,
    plan.after === undefined ? '/dev/null' : file,
  ];
  printDiff(
    createTwoFilesPatch(ends[0] ?? '', ends[1] ?? '', before, after, '', '', { context: 3 }).replace(
      /^=+\n/,
      '',
    ),
  );
  if (!yes) {
    if (!isInteractive()) throw new CrewError('USAGE', 'Nothing was written. Confirm the change with --yes.');
    const { confirm } = await import('../ask/prompter.ts');
    if (!(await confirm(say('connect.question')))) {
      print(say('connect.nothing'));
      return false;
    }
  }
  await applyChange(plan, request);
  return true;
}

function toRequest(name: string, { scope, project = '.' }: ConnectOptions): ConnectionRequest {
  const { env } = hostProcess();
  if (!isAgentName(name))
    throw new CrewError(
      'USAGE',
      `There is no agent "${name}". Use one of ${Object.keys(AGENTS).join(', ')}.`,
    );
  if (scope !== undefined && scope !== 'project' && scope !== 'user')
    throw new CrewError('USAGE', 'Give project or user as the scope.');
  const home = env.HOME || env.USERPROFILE || homedir();
  return {
    agent: name,
    scope: scope ?? AGENTS[name].usualScope,
    places: { home, project: resolve(project), platform: process.platform, env },
    storeRoot: defaultStoreRoot(env),
  };
}

function toScopeFlag({ scope, project }: ConnectOptions): string {
  return `${scope === undefined ? '' : ` --scope ${scope}`}${project === undefined ? '' : ` --project ${project}`}`;
}

function toLaunch(request: ConnectionRequest): Launch {
  const { argv, env } = hostProcess();
  const self = [process.execPath, realpathSync(argv[1] ?? '.')] as const;
  const home = request.scope === 'user' ? ownStore(request) : undefined;
  return {
    command: findCommand({ platform: process.platform, env, self }),
    // An agent with a window knows nothing of the environment of this terminal.
    env: home === undefined ? undefined : { CREWAGENT_HOME: home },
  };
}

/** The folder that this person chose for the store. */
function ownStore({ storeRoot, places: { env } }: ConnectionRequest): string | undefined {
  return env.CREWAGENT_HOME?.trim() ? resolve(storeRoot) : undefined;
}
