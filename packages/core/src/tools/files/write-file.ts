/**
 * Prepares every write of a tool: reads the current file, checks preconditions, computes and checks the new content.
 * Nothing is written until the prepared action is committed.
 */
import { toFileAction } from '@crewagent/protocol/described-actions';
import { effectKindOf } from '@crewagent/protocol/tool-effects';
import type { ToolFailure, ToolResult } from '@crewagent/protocol/tools';
import { ifPresent, systemError } from '../../base/errno.ts';
import { sha256Of } from '../../base/sha256.ts';
import { formatMountPath, type MountPath } from '../../mounts/mount-path.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import { isGitFolder } from '../../mounts/sensitive/git-folder.ts';
import { isReadOnly } from '../../mounts/tree-entry.ts';
import { readFrontmatter } from '../../workflow/frontmatter.ts';
import type { StateDocument } from '../state/state-file.ts';
import { answer, failure } from '../tool.ts';
import { toFileFailure } from '../tool-failure.ts';
import type { EffectFacts, PreparedAction, ToolAnswer } from '../tool-source.ts';
import { describeChange, diffText, shortenDiff } from './change-text.ts';
import { commitFiles, toFileFact } from './commit-files.ts';
import { type CurrentContent, maskBytes, nextContent } from './hidden-content.ts';
import { decodeText } from './text-file.ts';
import type { CurrentFile, FileChange, WriteRequest, WriteSources } from './write-request.ts';
import { prepareState } from './write-state.ts';

/** Larger files are not read for a diff or stored as a before-image. */
const MAX_CURRENT_BYTES = 64 * 1024 * 1024;

/** Answer of a write tool: the prepared action, or a failure. */
export async function answerWrite(request: FileRequest, sources: WriteSources): Promise<ToolAnswer> {
  const path = await sources.paths.target(request.path, request.call);
  if ('ok' in path) return answer(path);
  const prepared = await prepareWrite({ ...request, path }, sources);
  if ('commit' in prepared) return { kind: 'action', prepared };
  const state = isStateDocument(path) ? ({ kind: 'state' } as const) : {};
  return answer(prepared, { ...state, path: formatMountPath(path) });
}

/** A change of a file, with what it takes to make several of them together. A state change has no `file`. */
interface PreparedWrite extends PreparedAction {
  readonly file?: FileChange;
  /** The result of a change that was made. */
  describeResult?(state: StateDocument | undefined): ToolResult;
}

async function prepareWrite(
  request: WriteRequest,
  sources: WriteSources,
): Promise<PreparedWrite | ToolFailure> {
  const displayPath = formatMountPath(request.path);
  try {
    // Links are resolved from here on, so that checks and records use the real path.
    const isPlain = !isStateDocument(request.path) || !sources.gate;
    const path = isPlain ? sources.files.resolve(request.path, 'write') : request.path;
    if (path.mount === '@project' && isGitFolder(path.segments, sources.files.kindOf))
      return failure(
        'E_SANDBOX_VIOLATION',
        `"${displayPath}" belongs to git and would run with the next git command, so it cannot be written. Tell the user which git command to use instead.`,
        { reason: 'private' },
      );
    const gate = isStateDocument(path) ? sources.gate : undefined;
    const base = await gate?.read();
    const nodeError = base && gate?.checkDecidedAt(base, request.call.decidedAt);
    if (nodeError) return { ok: false, error: nodeError };
    const file = base ? undefined : await readCurrent(sources.files, path);
    const current = base ? toContent(base) : file;
    if (path.mount === '@project' && file && isReadOnly(file.mode))
      return failure(
        'E_SANDBOX_VIOLATION',
        `"${displayPath}" is read-only, so it was not changed; write to another file, or ask the user to make it writable.`,
        { reason: 'read-only' },
      );
    if (request.ifMatchSha256 !== undefined && request.ifMatchSha256.toLowerCase() !== current?.sha256) {
      return failure(
        'E_PRECONDITION_FAILED',
        `"${displayPath}" is not what you last read (${current ? 'its content changed' : 'it does not exist'}); read it again, then retry.`,
        { sha256: current?.sha256 ?? null },
      );
    }
    const content = await nextContent(request.next, current, displayPath);
    if (!Buffer.isBuffer(content)) return content;
    // The state document has its own limit, in the gate: an agent with a small write limit must still be able to
    // finish.
    if (base && gate) return await prepareState(request, { base, content, displayPath, gate }, sources);
    const refusal =
      checkSize(content, displayPath, sources.maxWriteBytes) ?? (await checkMarkdown(content, displayPath));
    if (refusal) return refusal;
    // People and models are shown what they may see of the change.
    const shown = current && maskBytes(current.bytes);
    const { signal } = request.call;
    const diff = await diffText(displayPath, { before: shown, after: maskBytes(content) }, signal);
    const isUnchanged = current?.bytes.equals(content) ?? false;
    const fact = toFileFact({ path, file, content }, sources);
    const { name, callId } = request.call;
    const change = { path, callId, current: file, content, fact };
    const describeResult = (state: StateDocument | undefined): ToolResult => ({
      ok: true,
      path: displayPath,
      ...request.describe({
        sha256Before: current?.sha256,
        sha256After: fact.after.sha256 ?? sha256Of(content),
        diff,
        isState: false,
      }),
      ...(state ? { state: { sha256: state.sha256 } } : {}),
    });
    const newness = current ? {} : { isNew: true as const };
    return {
      action: { ...toFileAction(name, formatMountPath(path), diff, effectKindOf(name)), ...newness },
      files: [fact],
      effect: {
        ...request.effectOf({ diff, isNew: current === undefined }),
        path: displayPath,
        ...(await describeChange(diff, shown)),
        ...newness,
        ...(isUnchanged ? { isUnchanged: true as const } : {}),
      },
      isNoop: isUnchanged,
      file: change,
      describeResult,
      async commit() {
        const committed = await commitFiles([change], sources);
        return committed.ok ? describeResult(committed.state) : toFileFailure(committed.error, displayPath);
      },
    };
  } catch (error) {
    return toFileFailure(error, displayPath);
  }
}

function checkSize(content: Buffer, displayPath: string, maxWriteBytes: number): ToolFailure | undefined {
  if (content.length <= maxWriteBytes) return undefined;
  return failure(
    'E_WRITE_LIMIT',
    `"${displayPath}" would have ${content.length} bytes; the limit is ${maxWriteBytes}; write it in parts with mode "append", or split it.`,
  );
}

async function checkMarkdown(content: Buffer, displayPath: string): Promise<ToolFailure | undefined> {
  if (!/\.md$/i.test(displayPath)) return undefined;
  const parsed = await readFrontmatter(decodeText(content)?.text ?? '');
  if (parsed.ok || parsed.kind === 'absent' || parsed.kind === 'not-a-map') return undefined;
  return failure(
    'E_INVALID_FRONTMATTER',
    `The frontmatter of "${displayPath}" is not valid YAML: ${parsed.reason} (line ${parsed.line}); correct it and write again.`,
    { line: parsed.line },
  );
}

async function readCurrent(files: MountedFs, path: MountPath): Promise<CurrentFile | undefined> {
  return ifPresent(
    files.withFile(path, async ({ handle, bytes: size, mode, identity }) => {
      if (size > MAX_CURRENT_BYTES) throw systemError('EFBIG');
      const bytes = await handle.readFile();
      return { bytes, sha256: sha256Of(bytes), mode, identity };
    }),
  );
}

function toContent({ text, sha256 }: StateDocument): CurrentContent {
  return { bytes: Buffer.from(text, 'utf8'), sha256 };
}

export function isStateDocument({ mount, segments }: MountPath): boolean {
  return mount === '@state' && segments.length === 1 && segments[0] === 'workflow.md';
}

type FileRequest = Omit<WriteRequest, 'path'> & { readonly path: string };

/** A change of a file that can be made together with others. */
type Part = Required<Pick<PreparedWrite, 'file' | 'describeResult'>> & PreparedAction;

/** Changes several files with one call: one approval, one result, all of them or none. */
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
      if (!committed.ok) return withoutChange(toFileFailure(committed.error, nameOf(committed.failed)));
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
