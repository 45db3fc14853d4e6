/**
 * Checks agents.json for consistency with itself and the package: ids, prompts, menu targets, tool servers.
 */

import { type AgentsDocument, agentsDocumentSchema, type MenuItem } from '@crewagent/protocol/agents';
import { findGlobalCommand } from '@crewagent/protocol/commands';
import { packageFolders, resolveReadable } from '../../mounts/resolve-path.ts';
import type { PackageFiles } from '../archive/package-files.ts';
import type { Findings } from '../findings/findings.ts';
import { checkKeySpelling, clip } from '../findings/schema-findings.ts';
import { checkUnique } from './package-rules.ts';
import { toPackagePath } from './workflow-package.ts';

interface PackageView {
  readonly files: PackageFiles;
  readonly workflowIds: ReadonlySet<string>;
  readonly context: { readonly knownServers: Pick<ReadonlySet<string>, 'has'> };
}

/** What the menu of an agent may refer to. */
interface AgentView extends PackageView {
  readonly promptIds: ReadonlySet<string>;
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
    (agent.tools?.mcp?.allowedServers ?? []).forEach((server, at) => {
      if (view.context.knownServers.has(server)) return;
      findings.add('TOOL_SERVER_UNKNOWN', {
        file,
        pointer: `${pointer}/tools/mcp/allowedServers/${at}`,
        message: `the agent "${clip(agent.id)}" uses the tool server "${server.slice(0, 80)}", which is not configured on this machine`,
        fix: 'Configure the server before running; until then its tools are missing.',
      });
    });
    for (const field of UNUSED_FIELDS) {
      if (isBlank(agent[field])) continue;
      findings.add('FIELD_UNUSED', {
        file,
        pointer: `${pointer}/${field}`,
        message: `the agent "${clip(agent.id)}" has ${field}, which nothing uses: a model never sees it`,
        fix: 'Remove it, or write it into persona, systemPrompt or prompts.',
      });
    }
    const agentView = { ...view, promptIds: new Set(prompts) };
    (agent.menu ?? []).forEach((item, at) => {
      checkMenuItem(item, { file, pointer: `${pointer}/menu/${at}` }, agentView, findings);
      const path = ['agents', index, 'menu', at];
      checkKeySpelling(agentsDocumentSchema, { file, value: document }, path, findings);
    });
  });
}

/** Fields of the format without an effect. */
const UNUSED_FIELDS = ['userPromptTemplate', 'discussion', 'conversational_knowledge'] as const;

function isBlank(value: string | boolean | readonly unknown[] | undefined): boolean {
  return value === undefined || value === false || (typeof value !== 'boolean' && value.length === 0);
}

function checkMenuItem(
  item: MenuItem,
  location: { readonly file: string; readonly pointer: string },
  view: AgentView,
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
  for (const reason of deadEnds(item, view)) {
    findings.add('MENU_ITEM_DEAD', {
      ...location,
      message: `the menu item "${label}" has no valid target: ${reason}`,
      fix: 'Point it to a workflow, script, action or prompt of the package.',
    });
  }
}

function deadEnds(item: MenuItem, view: AgentView): string[] {
  const handlers = (item.triggers ?? []).filter((trigger) => trigger.type === 'handler');
  const targets = [item, ...handlers].map((holder) => targetProblems(holder, view));
  const found = targets.flat().filter((problem) => problem !== NO_TARGET);
  const commands = [item.trigger, item.cmd].filter((text) => typeof text === 'string');
  // The runtime handles these itself; an item for one of them needs no target.
  const isGlobal = commands.some((text) => findGlobalCommand(text.trim().replace(/^[*/]/, '').toLowerCase()));
  const hasTarget = targets.some((problems) => problems.length === 0);
  return found.length === 0 && !hasTarget && !isGlobal ? [NO_TARGET] : found;
}

const NO_TARGET = 'it names no workflow, exec, action or handler';

type FindProblem = (target: string, view: AgentView) => string | undefined;

/** Reasons why the holder has no valid target; empty if it has one. */
function targetProblems(holder: Readonly<Record<string, unknown>>, view: AgentView): string[] {
  const text = (key: string): string => (typeof holder[key] === 'string' ? holder[key].trim() : '');
  const found = TARGETS.flatMap(([key, findProblem]) => (text(key) && findProblem(text(key), view)) || []);
  if (found.length > 0) return found;
  return text('workflow') || text('exec') || text('action') ? [] : [NO_TARGET];
}

const findWorkflowProblem: FindProblem = (target, view) => {
  if (view.workflowIds.has(target)) return undefined;
  if (/\.(?:md|ya?ml|xml)$/i.test(target)) return findScriptProblem(target, view);
  return `there is no workflow "${target.slice(0, 80)}"`;
};

const findScriptProblem: FindProblem = (target, view) =>
  /\.(?:ya?ml|xml)$/i.test(target)
    ? `"${target.slice(0, 80)}" is a classic BMAD file, which is not supported`
    : findFileProblem(target, view);

const findFileProblem: FindProblem = (target, { files }) => {
  const inPackage = target.replace(/^(?:\{package-root\}|@pkg)\//, '');
  // The project's files are not known yet.
  if (/^(?:\{|@)/.test(inPackage)) return undefined;
  const path = toPackagePath(inPackage);
  const { paths } = resolveReadable(target, { folders: packageFolders() });
  const others = paths.filter(({ mount }) => mount === '@pkg').map(({ segments }) => segments.join('/'));
  return [path, ...others].some((candidate) => files.paths.has(candidate))
    ? undefined
    : `"${path.slice(0, 80)}" is not in the package`;
};

const findActionProblem: FindProblem = (action, { promptIds }) => {
  const id = action.slice(1);
  return !action.startsWith('#') || promptIds.has(id)
    ? undefined
    : `the agent has no prompt "${id.slice(0, 80)}"`;
};

const TARGETS: readonly (readonly [key: string, findProblem: FindProblem])[] = [
  ['workflow', findWorkflowProblem],
  ['validate-workflow', findWorkflowProblem],
  ['exec', findScriptProblem],
  ['data', findFileProblem],
  ['action', findActionProblem],
];
