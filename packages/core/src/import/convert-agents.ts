/**
 * Converts agents: persona, critical actions, prompts and menu. A trigger "CP or fuzzy match on create-prd" becomes a code and
 * an alias; targets become workflows, scripts or actions of the package; items that BMAD's compiler adds to every agent become
 * built-in actions.
 */

import { posix } from 'node:path';
import type { AgentDefinition, MenuItem } from '@crewagent/protocol/agents';
import { isObject } from '@crewagent/protocol/json-object';
import type { ImportScope } from './source/import-scope.ts';
import { addUniqueId, toId } from './source/package-draft.ts';
import { readAgent } from './source/read-agent.ts';
import { folderOf, type SourceAgent } from './source/recognise-source.ts';
import { findMentions, lineOf, resolveReference } from './source/resolve-reference.ts';
import { type Fields, textField } from './source/source-yaml.ts';

export interface ConvertedAgent {
  readonly agent: AgentDefinition;
  readonly file: string;
  /** Ids of the workflows its menu starts. */
  readonly workflows: readonly string[];
}

export function convertAgents(agents: readonly SourceAgent[], scope: ImportScope): ConvertedAgent[] {
  const usedIds = new Set<string>();
  return agents.flatMap((source): ConvertedAgent[] => {
    const fields = readAgent(source, scope);
    if (!fields) return [];
    const name =
      posix.basename(source.file) === 'SKILL.md'
        ? posix.basename(folderOf(source.file))
        : posix.basename(source.file);
    const id = addUniqueId(toId(name.replace(/(?:\.(?:agent|chatmode))?\.(?:ya?ml|md)$/, '')), usedIds);
    return [toAgent(id, fields, source, scope)];
  });
}

function toAgent(
  id: string,
  fields: Fields,
  { file, form, module }: SourceAgent,
  scope: ImportScope,
): ConvertedAgent {
  const { notes } = scope;
  const metadata = isObject(fields.metadata) ? fields.metadata : {};
  const persona = isObject(fields.persona) ? fields.persona : {};
  const workflows: string[] = [];
  const written = (Array.isArray(fields.menu) ? fields.menu : []).filter(isObject);
  const menu = written.flatMap((item) => toMenuItem(item, file, scope, workflows));
  const added = form === 'yaml' ? compilerItems(menu) : [];
  const builtIn = `${added.length} items that the BMAD compiler adds became built-in actions.`;
  if (added.length > 0) notes.add('menu', 'exact', { file }, builtIn);
  const actions = texts(fields.critical_actions).map((text) => withPackagePaths(text, file, scope));
  const prompts = (Array.isArray(fields.prompts) ? fields.prompts : []).filter(isObject).flatMap((prompt) => {
    const [promptId, content] = [textField(prompt, 'id'), textField(prompt, 'content')];
    return promptId && content ? [{ id: promptId, content: withPackagePaths(content, file, scope) }] : [];
  });
  const title = textField(metadata, 'title') ?? textField(persona, 'role') ?? id;
  const agent: AgentDefinition = {
    id,
    metadata: {
      name: textField(metadata, 'name') ?? id,
      title,
      icon: textField(metadata, 'icon') ?? '👤',
      module: textField(metadata, 'module') ?? module.code,
      description: textField(metadata, 'capabilities') ?? textField(metadata, 'description'),
      sourceId: textField(metadata, 'id'),
    },
    persona: {
      role: textField(persona, 'role') ?? title,
      identity: textField(persona, 'identity') ?? title,
      communication_style: textField(persona, 'communication_style') ?? 'Clear and brief.',
      principles: toPrinciples(persona.principles, file, scope),
    },
    critical_actions: actions.length > 0 ? actions : undefined,
    prompts: prompts.length > 0 ? prompts : undefined,
    menu: [...menu, ...added],
  };
  for (const key of ['role', 'identity', 'communication_style', 'principles'])
    if (persona[key] === undefined)
      notes.add('persona', 'inferred', { file }, `"${key}" is missing; a neutral text was added.`);
  const message = `${agent.metadata.name}: persona and ${menu.length} of ${written.length} menu items.`;
  notes.add('agent', 'exact', { file }, message);
  return { agent, file, workflows };
}

function texts(value: unknown): string[] {
  const lines: readonly unknown[] = Array.isArray(value) ? value : [];
  return lines.filter((line) => typeof line === 'string').filter((line) => line.trim() !== '');
}

function toPrinciples(value: unknown, file: string, scope: ImportScope): string | string[] {
  if (typeof value === 'string' && value.trim() !== '') return withPackagePaths(value.trim(), file, scope);
  const list = texts(value);
  return list.length > 0
    ? list.map((text) => withPackagePaths(text, file, scope))
    : 'Follow the workflow as it is written.';
}

/** Replaces source paths in a text for the model by package paths. */
export function withPackagePaths(text: string, file: string, scope: ImportScope): string {
  let rewritten = text;
  const references = scope.referencesOf(file, folderOf(file), {});
  for (const { written } of findMentions(text, 0)) {
    if (!written.includes('/') || written.startsWith('@pkg/')) continue;
    const found = resolveReference(written, references);
    if (found.kind === 'file')
      rewritten = rewritten.replaceAll(written, `@pkg/${scope.toPackagePath(found.path)}`);
    if (found.kind === 'missing')
      scope.notes.addUnresolved(
        written,
        { file, line: lineOf(scope.tree.text(file) ?? '', written) },
        `${found.message}.`,
      );
  }
  return rewritten;
}

function toMenuItem(item: Fields, file: string, scope: ImportScope, workflows: string[]): MenuItem[] {
  const description =
    textField(item, 'description') ?? textField(item, 'multi') ?? textField(item, 'trigger');
  if (description === undefined) return [];
  const names = toTrigger(textField(item, 'trigger') ?? textField(item, 'cmd') ?? '');
  const target = toTarget(item, file, scope);
  const at = { file, line: lineOf(scope.tree.text(file) ?? '', description), text: description };
  if ('dropped' in target) {
    scope.notes.add('menu item', 'dropped', at, target.dropped);
    return [];
  }
  if (target.workflow !== undefined) workflows.push(target.workflow);
  scope.notes.add('menu item', 'exact', at, `${names.trigger ?? description} → ${Object.values(target)[0]}`);
  const flags = Object.fromEntries(
    ['ide-only', 'web-only'].filter((key) => item[key] === true).map((key) => [key, true]),
  );
  return [{ ...names, description: withoutCode(description, names.trigger), ...target, ...flags }];
}

/** "[CP] Create PRD" → "Create PRD": menus show the trigger beside the description. */
function withoutCode(description: string, trigger: string | undefined): string {
  const [prefix = '', code] = /^\[([^\]]+)\]\s*(?=\S)/.exec(description) ?? [];
  return code === trigger ? description.slice(prefix.length) : description;
}

/** "CP or fuzzy match on create-prd" → code and alias. */
function toTrigger(written: string): Pick<MenuItem, 'trigger' | 'triggers'> {
  const [, code, aliasText] = /^\*?(\S+)\s+or\s+fuzzy\s+match\s+(?:on\s+)?(.+)$/is.exec(written) ?? [];
  if (code !== undefined && aliasText !== undefined) {
    const aliases = aliasText.split(/\s+or\s+/).map((match) => ({ type: 'alias', match: match.trim() }));
    return { trigger: code, triggers: aliases };
  }
  return written === '' ? {} : { trigger: written.replace(/^\*/, '') };
}

type Target = { workflow?: string; exec?: string; action?: string; data?: string } | { dropped: string };

function toTarget(item: Fields, file: string, scope: ImportScope): Target {
  const written = ['workflow', 'exec', 'skill', 'validate-workflow', 'tmpl'].flatMap(
    (key) => textField(item, key) ?? [],
  )[0];
  const action = textField(item, 'action');
  const dataText = textField(item, 'data');
  const dataFile = dataText === undefined ? undefined : findFile(dataText, file, scope);
  const data = dataFile === undefined ? {} : { data: `@pkg/${scope.toPackagePath(dataFile)}` };
  const builtin = action === undefined && written === undefined ? builtinOf(item) : undefined;
  if (builtin !== undefined) return { action: builtin };
  if (written === undefined)
    return action === undefined
      ? { dropped: 'The item has no target.' }
      : { action: withPackagePaths(action, file, scope), ...data };
  if (item.skill === written) {
    const id = scope.workflowIdOfSkill(written);
    return id === undefined
      ? { dropped: `The source has no skill "${written}".` }
      : { workflow: id, ...data };
  }
  if (/^(?:todo|tbd)$/i.test(written)) return { dropped: `The target is "${written}".` };
  const found = findFile(written, file, scope);
  if (found === undefined) return { dropped: `Its target "${written}" is not in the source.` };
  const id = scope.workflowIdOf(found) ?? scope.workflowIdOf(folderOf(found));
  if (id !== undefined) return { workflow: id, ...data };
  const path = `@pkg/${scope.toPackagePath(found)}`;
  if (/\.md$/i.test(path)) return { exec: path, ...data };
  return { action: `Read ${path} completely and follow it.`, ...data };
}

/** The file of the source that an agent names; undefined, with a note, if there is none. */
function findFile(written: string, file: string, scope: ImportScope): string | undefined {
  // From the root of the source: its reader found the file.
  if (written.startsWith('/') && scope.tree.has(written.slice(1))) return written.slice(1);
  const found = resolveReference(written, scope.referencesOf(file, folderOf(file), {}));
  if (found.kind === 'file') return found.path;
  const message = found.kind === 'missing' ? `${found.message}.` : 'It is not a file of the source.';
  scope.notes.addUnresolved(written, { file, line: lineOf(scope.tree.text(file) ?? '', written) }, message);
  return undefined;
}

const CHAT =
  'Talk with the person about anything they bring up, in your role, until they choose something else.';

function builtinOf(item: Fields): string | undefined {
  const text = `${textField(item, 'trigger') ?? ''} ${textField(item, 'description') ?? ''}`;
  if (/\b(?:menu help|MH|show the menu)\b|\*?help$/i.test(text)) return 'menu.show';
  if (/\b(?:dismiss|exit|DA)\b/i.test(text)) return 'agent.dismiss';
  return /\b(?:CH|chat)\b/i.test(text) ? CHAT : undefined;
}

/** Items that BMAD's compiler adds to every agent, unless the author wrote them. */
const COMPILER_ITEMS = [
  ['MH', 'menu', 'Show the menu again', 'menu.show'],
  ['CH', 'chat', 'Chat about anything', CHAT],
  ['DA', 'dismiss', 'Dismiss the agent', 'agent.dismiss'],
] as const;

function compilerItems(menu: readonly MenuItem[]): MenuItem[] {
  return COMPILER_ITEMS.filter(([trigger]) => !menu.some((item) => item.trigger === trigger)).map(
    ([trigger, match, description, action]) => ({
      trigger,
      triggers: [{ type: 'alias', match }],
      description,
      action,
    }),
  );
}
