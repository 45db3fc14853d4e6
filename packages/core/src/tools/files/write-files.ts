/**
 * Changes several files with one call: one approval, one result, all of them or none. Composed of the prepared changes
 * of single files.
 */
import type { ToolFailure } from '@crewagent/protocol/tools';
import { formatMountPath } from '../../mounts/mount-path.ts';
import { answer, failure } from '../tool.ts';
import type { EffectFacts, PreparedAction, ToolAnswer } from '../tool-source.ts';
import { shortenDiff } from './change-text.ts';
import { commitFiles } from './commit-files.ts';
import { isStateDocument, type PreparedFile, prepareWrite } from './write-file.ts';
import { type FileChange, toFailure, type WriteRequest, type WriteSources } from './write-request.ts';

type FileRequest = Omit<WriteRequest, 'path'> & { readonly path: string };

/** A change of a file that can be made together with others. */
type Part = Required<Pick<PreparedFile, 'file' | 'describeResult'>> & PreparedAction;

export async function answerWrites(
  requests: readonly FileRequest[],
  sources: WriteSources,
): Promise<ToolAnswer> {
  const parts: Part[] = [];
  for (const request of requests) {
    const prepared = await preparePart(request, sources);
    if ('ok' in prepared) return answer(withoutChange(prepared), { path: request.path });
    const { target } = prepared.action;
    if (parts.some(({ action }) => action.target === target))
      return answer(
        failure('TOOL_ARGS_INVALID', `Nothing was changed: two paths lead to "${target}"; use one of them.`),
      );
    parts.push(prepared);
  }
  return { kind: 'action', prepared: composeParts(parts, requests[0]?.call.name ?? '', sources) };
}

async function preparePart(request: FileRequest, sources: WriteSources): Promise<Part | ToolFailure> {
  const path = await sources.paths.target(request.path, request.call);
  if ('ok' in path) return path;
  const displayPath = formatMountPath(path);
  if (isStateDocument(path) && sources.gate)
    return failure(
      'TOOL_ARGS_INVALID',
      `"${displayPath}" cannot be changed together with other files; use a call of its own.`,
    );
  const prepared = await prepareWrite({ ...request, path }, sources);
  if ('ok' in prepared) return prepared;
  if (prepared.files.some(({ runsLater }) => runsLater !== undefined))
    return failure(
      'TOOL_ARGS_INVALID',
      `"${displayPath}" is run by other programs, so that it needs an approval of its own; patch it with a call of its own.`,
    );
  const { file, describeResult } = prepared;
  if (!file || !describeResult) throw new Error('a file change can be composed');
  return { ...prepared, file, describeResult };
}

function withoutChange({ ok, error }: ToolFailure): ToolFailure {
  return { ok, error: { ...error, message: `No file was changed: ${error.message}` } };
}

function composeParts(parts: readonly Part[], tool: string, sources: WriteSources): PreparedAction {
  const [first] = parts;
  if (!first) throw new Error('a call changes at least one file');
  const { action } = first;
  const changed = parts.filter(({ isNoop }) => !isNoop);
  return {
    action: {
      title: `${tool} wants to change ${parts.length} files`,
      target: action.target,
      effect: action.effect,
      preview: {
        kind: 'diff',
        text: parts.map(({ action: { preview } }) => preview.text).join(''),
        ...(parts.some(({ action: { preview } }) => preview.isCut) ? { isCut: true } : {}),
      },
    },
    files: parts.flatMap(({ files }) => files),
    effect: toEffect(parts, changed),
    isNoop: changed.length === 0,
    async commit() {
      const committed = await commitFiles(
        parts.map(({ file }) => file),
        sources,
      );
      if (!committed.ok) return withoutChange(toFailure(committed.error, nameOf(committed.failed)));
      const files = parts.map(({ describeResult }) => describeResult(undefined));
      const { state } = committed;
      return { ok: true, files, ...(state ? { state: { sha256: state.sha256 } } : {}) };
    },
  };
}

/** The files that change; of a call that changes nothing, all that it names. */
function toEffect(parts: readonly Part[], changed: readonly Part[]): EffectFacts {
  const effects = (changed.length > 0 ? changed : parts).map(({ effect }) => effect);
  const [path, ...also] = effects.flatMap((effect) => effect.path ?? []);
  const lines = effects.flatMap((effect) => effect.lines ?? []);
  const sumOf = (side: 'added' | 'removed'): number => lines.reduce((sum, count) => sum + count[side], 0);
  const isCounted = lines.length === effects.length;
  return {
    path,
    ...(also.length > 0 ? { also } : {}),
    ...(isCounted ? { lines: { added: sumOf('added'), removed: sumOf('removed') } } : {}),
    ...(changed.length === 0 ? { isUnchanged: true } : {}),
    ...(effects.every(({ isNew }) => isNew) ? { isNew: true } : {}),
    diff: shortenDiff(effects.map(({ diff = '' }) => diff).join('')),
  };
}

function nameOf({ path }: FileChange): string {
  return formatMountPath(path);
}
