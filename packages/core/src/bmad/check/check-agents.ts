/**
 * Checks agents.json for consistency with itself and the package: ids, prompts, menu targets, tool servers.
 */

import {
  type AgentDefinition,
  type AgentsDocument,
  agentsDocumentSchema,
  type MenuItem,
} from '@crewagent/protocol/agents';
import { findGlobalCommand } from '@crewagent/protocol/commands';
import { packageFolders, resolveReadable } from '../../mounts/resolve-path.ts';
import type { PackageFiles } from '../archive/package-files.ts';
import { toPackagePath } from '../workflow-package.ts';
import type { Findings } from './findings.ts';
import { checkUnique } from './package-rules.ts';
import { checkKeySpelling, clip } from './schema-findings.ts';

interface PackageView {
  readonly files: PackageFiles;
  readonly workflowIds: ReadonlySet<string>;
  readonly context: { readonly knownServers: Pick<ReadonlySet<string>, 'has'> };
}

export function checkAgents(
  document: AgentsDocument,
  file: string,
  view: PackageView,
  findings: Findings,
): void {
  const ids = document.agents.map(({ id }) => id);
  checkUnique(ids, { file, list: '/agents', what: 'agent' }, findings);
  document.agents.forEach((agent, index) => {
    const pointer = `/agents/${index}`;
    const prompts = (agent.prompts ?? []).map(({ id }) => id);
    const toMessage = (id: string): string =>
      `the agent "${clip(agent.id)}" has two prompts with the id "${id}"`;
    const list = { file, list: `${pointer}/prompts`, what: 'prompt of the agent', toMessage };
    checkUnique(prompts, list, findings);
    checkServers(agent, { file, pointer }, view, findings);
    const promptIds = new Set(prompts);
    (agent.menu ?? []).forEach((item, at) => {
      checkMenuItem(item, promptIds, { file, pointer: `${pointer}/menu/${at}` }, view, findings);
      const path = ['agents', index, 'menu', at];
      checkKeySpelling(agentsDocumentSchema, { file, value: document }, path, findings);
    });
  });
}

interface AgentLocation {
  readonly file: string;
  readonly pointer: string;
}

function checkServers(
  agent: AgentDefinition,
  location: AgentLocation,
  view: PackageView,
  findings: Findings,
): void {
  (agent.tools?.mcp?.allowedServers ?? []).forEach((server, index) => {
    if (view.context.knownServers.has(server)) return;
    findings.add('TOOL_SERVER_UNKNOWN', {
      file: location.file,
      pointer: `${location.pointer}/tools/mcp/allowedServers/${index}`,
      message: `the agent "${clip(agent.id)}" uses the tool server "${server.slice(0, 80)}", which is not configured on this machine`,
      fix: 'Configure the server before running; until then its tools are missing.',
    });
  });
}

function checkMenuItem(
  item: MenuItem,
  promptIds: ReadonlySet<string>,
  location: AgentLocation,
  view: PackageView,
  findings: Findings,
): void {
  const label = clip(item.trigger?.trim() || item.description);
  if (item['ide-only'] && item['web-only']) {
    findings.add('MENU_ITEM_HIDDEN', {
      ...location,
      message: `the menu item "${label}" is both ide-only and web-only, so nobody ever sees it`,
      fix: 'Remove one of the two.',
    });
  }
  for (const reason of deadEnds(item, promptIds, view)) {
    findings.add('MENU_ITEM_DEAD', {
      ...location,
      message: `the menu item "${label}" has no valid target: ${reason}`,
      fix: 'Point it to a workflow, script, action or prompt of the package.',
    });
  }
}

function deadEnds(item: MenuItem, promptIds: ReadonlySet<string>, view: PackageView): string[] {
  const handlers = (item.triggers ?? []).filter((trigger) => trigger.type === 'handler');
  const targets = [item, ...handlers].map((holder) => targetProblems(holder, promptIds, view));
  const found = targets.flat().filter((problem) => problem !== NO_TARGET);
  const commands = [item.trigger, item.cmd].filter((text) => typeof text === 'string');
  // The runtime handles these itself; an item for one of them needs no target.
  const isGlobal = commands.some((text) => findGlobalCommand(text.trim().replace(/^[*/]/, '').toLowerCase()));
  const hasTarget = targets.some((problems) => problems.length === 0);
  if (found.length === 0 && !hasTarget && !isGlobal) return [NO_TARGET];
  return found;
}

const NO_TARGET = 'it names no workflow, exec, action or handler';

/** Reasons why the holder has no valid target; empty if it has one. */
function targetProblems(
  holder: Readonly<Record<string, unknown>>,
  promptIds: ReadonlySet<string>,
  view: PackageView,
): string[] {
  const text = (key: string): string => (typeof holder[key] === 'string' ? holder[key].trim() : '');
  const problems = [
    text('workflow') && workflowProblem(text('workflow'), view),
    text('validate-workflow') && workflowProblem(text('validate-workflow'), view),
    text('exec') && fileProblem(text('exec'), view),
    text('data') && dataProblem(text('data'), view),
    text('action') && actionProblem(text('action'), promptIds),
  ];
  const found = problems.filter((problem) => typeof problem === 'string' && problem !== '');
  if (found.length > 0) return found as string[];
  return text('workflow') || text('exec') || text('action') ? [] : [NO_TARGET];
}

function workflowProblem(target: string, view: PackageView): string | undefined {
  if (view.workflowIds.has(target)) return undefined;
  if (/\.(?:md|ya?ml|xml)$/i.test(target)) return fileProblem(target, view);
  return `there is no workflow "${target.slice(0, 80)}"`;
}

function fileProblem(target: string, view: PackageView): string | undefined {
  if (/\.(?:ya?ml|xml)$/i.test(target))
    return `"${target.slice(0, 80)}" is a classic BMAD file, which is not supported`;
  return dataProblem(target, view);
}

function dataProblem(target: string, view: PackageView): string | undefined {
  const path = packagePathOf(target);
  if (path === undefined) return undefined;
  const { paths } = resolveReadable(target, { folders: packageFolders() });
  const candidates = [
    path,
    ...paths.filter(({ mount }) => mount === '@pkg').map(({ segments }) => segments.join('/')),
  ];
  if (candidates.some((candidate) => view.files.paths.has(candidate))) return undefined;
  return `"${path.slice(0, 80)}" is not in the package`;
}

function actionProblem(action: string, promptIds: ReadonlySet<string>): string | undefined {
  if (!action.startsWith('#')) return undefined;
  const id = action.slice(1);
  return promptIds.has(id) ? undefined : `the agent has no prompt "${id.slice(0, 80)}"`;
}

/** Undefined for a path outside of the package (the project's files are not known yet). */
function packagePathOf(target: string): string | undefined {
  const inPackage = target.replace(/^(?:\{package-root\}|@pkg)\//, '');
  return /^(?:\{|@)/.test(inPackage) ? undefined : toPackagePath(inPackage);
}
