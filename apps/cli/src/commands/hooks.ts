/** `crewagent hooks`: what is called when something happens in a Work. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  CrewError,
  findOwnHook,
  putHook,
  removeHook as removeOwnHook,
  resolveHooks,
  testHook,
  withDiskErrors,
} from '@crewagent/core';
import {
  type Hook,
  type HookEvent,
  hookEventSchema,
  hookSchema,
  hooksSchema,
  isCommandHook,
} from '@crewagent/protocol/hooks';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { openStore } from '../open-store.ts';
import { say } from '../print/texts/say.ts';
import { withSignals } from '../signals.ts';
import { print, printDone, sanitize, style } from '../terminal.ts';

interface AddHookOptions {
  readonly on: readonly string[];
  readonly url?: string;
  readonly secretEnv?: string;
  readonly body?: string;
  readonly timeout?: number;
  readonly failClosed?: true;
  readonly sandbox: boolean;
  readonly allowHost: readonly string[];
}

export async function addHook(
  name: string,
  command: readonly string[],
  options: AddHookOptions,
): Promise<void> {
  const { url, body, secretEnv, timeout: timeoutSeconds, allowHost: hosts } = options;
  if ((url === undefined) === (command.length === 0))
    throw new CrewError('USAGE', 'Give either a program after "--", or an address with --url.');
  const shared = {
    on: options.on.map(parseEvent),
    timeoutSeconds,
    onFailure: options.failClosed ? 'deny' : undefined,
  };
  const [program, ...args] = command;
  const given =
    url === undefined
      ? {
          command: program,
          args,
          sandbox: options.sandbox ? undefined : 'off',
          network: hosts.length > 0,
          hosts,
        }
      : { url, secretEnv, body: body === undefined ? undefined : await readBody(body) };
  const parsed = hooksSchema.safeParse({ [name]: hookSchema.safeParse({ ...shared, ...given }).data ?? {} });
  if (shared.on.length === 0) throw new CrewError('USAGE', `Say when it is called: --on ${EVENTS}.`);
  if (!parsed.success)
    throw new CrewError(
      'USAGE',
      'This is not a hook. Its name has letters, digits, dots and dashes; its address starts with https://; it takes 1 to 120 seconds.',
    );
  const store = openStore();
  const hook = parsed.data[name];
  if (hook) await putHook(store, name, hook);
  printDone(`${sanitize(name)} is called on ${shared.on.join(', ')}`);
  print(style('dim', `  To test it: crewagent hooks test ${sanitize(name)}`));
}

const EVENTS = hookEventSchema.options.join(', ');

function parseEvent(text: string): HookEvent {
  const parsed = hookEventSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new CrewError('USAGE', `"${text.slice(0, 100)}" is not an event. Use one of: ${EVENTS}.`);
}

async function readBody(file: string): Promise<string> {
  const text = await withDiskErrors(`Could not read "${file}"`, () => readFile(file, 'utf8'));
  try {
    JSON.parse(text.replace(/\{\{[\w.]+\}\}/g, 'x'));
  } catch {
    throw new CrewError(
      'USAGE',
      `"${file}" is not JSON. Placeholders such as {{summary}} belong inside a text.`,
    );
  }
  return text;
}

export async function listHooks(options: { json?: true }): Promise<void> {
  const store = openStore();
  const { hooks: own } = await store.settings.load();
  const active = resolveHooks(own, await store.policy.read());
  const required = active.filter(({ isRequired }) => isRequired);
  if (options.json) return print(JSON.stringify({ hooks: own, required }));
  if (Object.keys(own).length + required.length === 0) return print(say('none.hooks'));
  for (const { name, hook } of required)
    print(`${describe(name, hook)}  ${style('dim', 'required by a policy')}`);
  for (const [name, hook] of Object.entries(own)) {
    const isCalled = active.some((one) => !one.isRequired && one.name === name);
    const why = hook.enabled ? 'forbidden by a policy' : 'disabled';
    print(`${describe(name, hook)}${isCalled ? '' : `  ${style('yellow', why)}`}`);
  }
}

function describe(name: string, hook: Hook): string {
  const target = isCommandHook(hook)
    ? `${[hook.command, ...hook.args].join(' ')}${hook.sandbox === 'off' ? ' (without a sandbox)' : ''}`
    : new URL(hook.url).origin;
  const denies = hook.onFailure === 'deny' ? ', denies if it fails' : '';
  return `${style('bold', sanitize(name))}  ${hook.on.join(', ')}  ${sanitize(target, 200)}${denies}`;
}

interface TryHookOptions {
  readonly on?: string;
  readonly project: string;
  readonly json?: true;
}

export async function tryHook(name: string, options: TryHookOptions): Promise<ExitCode> {
  const store = openStore();
  const hook = await findOwnHook(store, name);
  const event = options.on === undefined ? hook.on[0] : parseEvent(options.on);
  if (event === undefined) throw new CrewError('USAGE', `Say with which event: --on ${EVENTS}.`);
  const project = resolve(options.project);
  const end = await withSignals(({ signal }) =>
    testHook({ hook, event, project, env: hostProcess().env, signal }, store),
  );
  if (options.json) print(JSON.stringify(end));
  else if (!end.ok) print(`${style('red', '✘')} ${sanitize(name)}: ${sanitize(end.error)}`);
  else {
    const said = [end.deny && `denies: ${end.deny}`, end.message].filter(Boolean).join(' · ');
    printDone(`${sanitize(name)} on ${event}: ${sanitize(said || 'nothing to say')}`);
  }
  return end.ok ? EXIT.ok : EXIT.failed;
}

export async function removeHook(name: string): Promise<void> {
  const store = openStore();
  await removeOwnHook(store, name);
  printDone(`${sanitize(name)} is removed`);
}
