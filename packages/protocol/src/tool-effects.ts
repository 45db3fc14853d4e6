/**
 * Effects of tool calls: which built-in tools read, write or change the state, and the effect of a call. Events of earlier
 * versions have no effect; it is derived here, and only here, from arguments and result.
 */

import type { EventOf } from './events.ts';
import { isObject, parseObject, textOf } from './json-object.ts';
import type { ItemOf } from './story/items.ts';
import type { EffectKind, ToolEffect } from './tools.ts';

export const STATE_DOCUMENT = '@state/workflow.md';

const BUILTIN: Readonly<Record<string, EffectKind>> = {
  'fs.read': 'read',
  'fs.list': 'listed',
  'fs.search': 'searched',
  'fs.write': 'written',
  'fs.apply_patch': 'patched',
  'runtime.complete_node': 'state',
  'runtime.update_state': 'state',
  'runtime.go_back': 'state',
  'ui.ask_user': 'asked',
  'ui.propose_command': 'none',
};

/** Names of the built-in tools. */
export const BUILTIN_TOOLS: readonly string[] = Object.keys(BUILTIN);

/** The effect of a built-in tool; `external` for tools of MCP servers and commands; `none` for any other name. */
export function effectKindOf(tool: string): EffectKind {
  if (tool.startsWith('mcp.') || tool === 'shell.run') return 'external';
  return Object.hasOwn(BUILTIN, tool) ? (BUILTIN[tool] ?? 'none') : 'none';
}

type Effect = Pick<ToolEffect, 'kind'>;

/** Reads files or folders. */
export function isRead({ kind }: Effect): boolean {
  return kind === 'read' || kind === 'listed' || kind === 'searched';
}

/** Changes a file other than the state document. */
export function isFileChange({ kind }: Effect): boolean {
  return kind === 'written' || kind === 'patched';
}

/** Reads or changes files. */
export function isOfFiles(effect: Effect): boolean {
  return isRead(effect) || isFileChange(effect);
}

/** Changes a file or the state document. */
export function isChange(effect: Effect): boolean {
  return effect.kind === 'state' || isFileChange(effect);
}

const PROJECT = '@project/';

/** The project files that a call changed, relative to the project. */
export function changedFiles(effect: ToolEffect): string[] {
  return changedPaths(effect).flatMap((path) =>
    path.startsWith(PROJECT) ? [path.slice(PROJECT.length)] : [],
  );
}

/** The files that a call changed, as full mount paths. */
export function changedPaths(effect: ToolEffect): string[] {
  return effect.changed ?? (isFileChange(effect) ? pathsOf(effect) : []);
}

/** The files of a call, as full mount paths. */
export function pathsOf({ path, also = [] }: Pick<ToolEffect, 'path' | 'also'>): string[] {
  return path === undefined ? [] : [path, ...also];
}

/**
 * The hashes that a result says of the project files of a call: as they were read, or as they are after a change. Empty for all other
 * results, also for a hostile one.
 */
export function hashesIn(kind: EffectKind, path: string | undefined, result: unknown): FileHash[] {
  if (!isObject(result) || result.ok !== true) return [];
  const isChanged = isFileChange({ kind });
  if (!isChanged && kind !== 'read') return [];
  const toHash = (entry: unknown, own: string | undefined): FileHash[] => {
    const sha256 = isObject(entry) ? textOf(isChanged ? entry.sha256After : entry.sha256) : undefined;
    if (own === undefined || sha256 === undefined) return [];
    return own.startsWith(PROJECT) && SHA256.test(sha256) ? [{ path: own, sha256 }] : [];
  };
  if (!Array.isArray(result.files)) return toHash(result, path);
  return result.files.flatMap((entry) => toHash(entry, isObject(entry) ? textOf(entry.path) : undefined));
}

type FileHash = NonNullable<ToolEffect['hashes']>[number];

const SHA256 = /^[0-9a-f]{64}$/;

/** The effect of a call as far as its name and path determine it. */
export function expectedEffect(tool: string, path?: string): ToolEffect {
  const kind = effectKindOf(tool);
  const isForFile = kind === 'read' || kind === 'listed' || isFileChange({ kind });
  if (path === undefined || !isForFile) return { kind };
  return { kind: isFileChange({ kind }) && path === STATE_DOCUMENT ? 'state' : kind, path };
}

type EndedCall = Pick<EventOf<'tool.ended'>, 'name' | 'outcome' | 'content' | 'effect' | 'message'>;

/** `path`: the path the call was started with. */
export function effectOf({ name, content, effect }: EndedCall, path?: string): ToolEffect {
  if (effect) return effect;
  const expected = expectedEffect(name, path);
  if (!isChange(expected)) return expected;
  const answer = parseObject(content);
  const diff = textOf(answer?.diff);
  const written = isFileChange({ kind: effectKindOf(name) }) ? textOf(answer?.path) : undefined;
  return { ...expected, ...expectedEffect(name, written ?? path), ...(diff === undefined ? {} : { diff }) };
}

/** Whether a call changed a file or something outside the project. A change of the state is an event of its own. */
export function hasEffect(call: EndedCall): boolean {
  if (call.outcome !== 'ok') return false;
  const effect = effectOf(call);
  if (effect.kind === 'external') return !effect.isReadOnly;
  return isFileChange(effect) && !effect.isUnchanged;
}

/** The reason of a failure, as the model receives it. */
export function failureOf({ outcome, content, message }: EndedCall): string | undefined {
  if (message !== undefined || outcome === 'ok') return message;
  const error = parseObject(content)?.error;
  return isObject(error) ? textOf(error.message) : undefined;
}

/** The target of a call: a path, a search text, a command. Parses the arguments only if nothing else has it. */
export function targetOf({ effect, path, arguments: text }: ItemOf<'tool'>): string | undefined {
  const given = effect.query ?? effect.command;
  if (given !== undefined) return given;
  const known = effect.path ?? path;
  if (effect.kind !== 'searched' && known !== undefined)
    return effect.also ? `${known} +${effect.also.length}` : known;
  const args = text.length > MAX_ARGUMENT_CHARS ? undefined : parseObject(text);
  if (effect.kind !== 'searched') return textOf(args?.path);
  return textOf(args?.pattern) ?? textOf(args?.query) ?? known;
}

const MAX_ARGUMENT_CHARS = 400_000;
