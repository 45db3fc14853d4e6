/** `crewagent shell`: what models may run as commands in a project. */

import { resolve } from 'node:path';
import { CrewError, changeShell, showShell } from '@crewagent/core';
import { commandPrefixSchema, type ShellSettings, type ShellState } from '@crewagent/protocol/shell';
import { addHosts, removeHosts } from '../allowed-hosts.ts';
import { openStore } from '../open-store.ts';
import { say } from '../print/texts/say.ts';
import { print, printDone, sanitize, style } from '../terminal.ts';

interface ProjectOptions {
  readonly project: string;
}

interface EnableOptions extends ProjectOptions {
  readonly network?: true;
  readonly git?: true;
  readonly folder: readonly string[];
}

export async function status({ project, json }: ProjectOptions & { json?: true }): Promise<void> {
  const { store, projectId } = await findProjectOf(project);
  const state = await showShell(store, projectId);
  if (json) print(JSON.stringify(state));
  else printState(state);
}

export async function enable({ project, network, git, folder }: EnableOptions): Promise<void> {
  const folders = folder.map((path) => (path.startsWith('~/') ? path : resolve(path)));
  return change(project, () => ({ enabled: true, network: network === true, git: git === true, folders }));
}

export async function disable({ project }: ProjectOptions): Promise<void> {
  return change(project, () => ({ enabled: false }));
}

export async function allow(words: readonly string[], { project }: ProjectOptions): Promise<void> {
  const prefix = commandPrefixSchema.safeParse(words.join(' '));
  if (!prefix.success)
    throw new CrewError(
      'USAGE',
      `This rule is not possible: ${prefix.error.issues[0]?.message ?? 'it is invalid'}.`,
    );
  return change(project, ({ allow: known }) => ({ allow: [...new Set([...known, prefix.data])] }));
}

export async function revoke(words: readonly string[], { project }: ProjectOptions): Promise<void> {
  const prefix = words.join(' ');
  return change(project, ({ allow: known }) => {
    if (!known.includes(prefix))
      throw new CrewError('USAGE', `There is no rule "${prefix}" in this project.`);
    return { allow: known.filter((rule) => rule !== prefix) };
  });
}

export async function allowHost(names: readonly string[], { project }: ProjectOptions): Promise<void> {
  return change(project, ({ hosts }) => ({ hosts: addHosts(hosts, names) }));
}

export async function removeHost(names: readonly string[], { project }: ProjectOptions): Promise<void> {
  return change(project, ({ hosts }) => ({ hosts: removeHosts(hosts, names) }));
}

async function change(
  project: string,
  toChange: (state: ShellState) => Partial<ShellSettings>,
): Promise<void> {
  const { store, projectId } = await findProjectOf(project);
  printState(await changeShell(store, projectId, toChange(await showShell(store, projectId))));
}

async function findProjectOf(
  project: string,
): Promise<{ readonly store: ReturnType<typeof openStore>; readonly projectId: string }> {
  const store = openStore();
  const { projectId } = await store.projects.open(project, { now: () => new Date() });
  return { store, projectId };
}

function printState(state: ShellState): void {
  const { enabled, network, hosts, registries, git, folders, allow: rules, sandbox } = state;
  if (!enabled) {
    print(say('shell.off'));
    return;
  }
  printDone(say('shell.on'));
  const lines: string[] = [];
  if (sandbox.kind !== 'none')
    lines.push(say(network ? 'shell.sandboxNetwork' : 'shell.sandbox', { kind: sandbox.kind }));
  if (!sandbox.isIsolating) {
    const key = sandbox.kind === 'none' ? 'shell.eachCommandNoUndo' : 'shell.eachCommand';
    lines.push(`${style('yellow', '!')} ${say(key, { reason: sanitize(sandbox.reason ?? '') })}`);
  }
  if (network && registries.length > 0) lines.push(say('shell.registries', { names: registries.join(', ') }));
  if (hosts.length > 0)
    lines.push(say(network ? 'shell.hosts' : 'shell.unreachable', { names: hosts.join(', ') }));
  if (git) lines.push(say('shell.git'));
  for (const folder of folders) lines.push(say('shell.folder', { folder: sanitize(folder) }));
  for (const rule of rules)
    lines.push(say(sandbox.isIsolating ? 'shell.rule' : 'shell.ruleSandbox', { rule: sanitize(rule) }));
  for (const line of lines) print(`  ${line}`);
}
