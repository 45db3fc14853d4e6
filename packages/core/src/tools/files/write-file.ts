/**
 * Prepares every write of a tool: reads the current file, checks preconditions, computes and checks the new content.
 * Nothing is written until the prepared action is committed.
 */
import { toFileAction } from '@crewagent/protocol/described-actions';
import { effectKindOf } from '@crewagent/protocol/tool-effects';
import type { ToolFailure, ToolResult } from '@crewagent/protocol/tools';
import { ifPresent } from '../../base/errno.ts';
import { sha256Of } from '../../base/sha256.ts';
import { formatMountPath, type MountPath } from '../../mounts/mount-path.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import { isReadOnly } from '../../mounts/read-only.ts';
import { isGitFolder } from '../../mounts/sensitive/git-folder.ts';
import { readFrontmatter } from '../../workflow/frontmatter.ts';
import type { StateDocument } from '../state/state-file.ts';
import { answer, failure } from '../tool.ts';
import type { PreparedAction, ToolAnswer } from '../tool-source.ts';
import { describeChange } from './change-text.ts';
import { commitFiles } from './commit-files.ts';
import { diffText } from './diff-text.ts';
import { toFileFact } from './file-fact.ts';
import { type CurrentContent, maskBytes, nextContent } from './hidden-content.ts';
import { decodeText } from './text-file.ts';
import {
  type CurrentFile,
  type FileChange,
  toFailure,
  type WriteRequest,
  type WriteSources,
} from './write-request.ts';
import { prepareState } from './write-state.ts';

/** Larger files are not read for a diff or stored as a before-image. */
const MAX_CURRENT_BYTES = 64 * 1024 * 1024;

/** Answer of a write tool: the prepared action, or a failure. */
export async function answerWrite(
  request: Omit<WriteRequest, 'path'> & { readonly path: string },
  sources: WriteSources,
): Promise<ToolAnswer> {
  const path = await sources.paths.target(request.path, request.call);
  if ('ok' in path) return answer(path);
  const prepared = await prepareWrite({ ...request, path }, sources);
  if ('commit' in prepared) return { kind: 'action', prepared };
  const state = isStateDocument(path) ? ({ kind: 'state' } as const) : {};
  return answer(prepared, { ...state, path: formatMountPath(path) });
}

/** A change of a file, with what it takes to make several of them together. A state change has no `file`. */
export interface PreparedFile extends PreparedAction {
  readonly file?: FileChange;
  /** The result of a change that was made. */
  describeResult?(state: StateDocument | undefined): ToolResult;
}

export async function prepareWrite(
  request: WriteRequest,
  sources: WriteSources,
): Promise<PreparedFile | ToolFailure> {
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
        bytes: content.length,
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
        return committed.ok ? describeResult(committed.state) : toFailure(committed.error, displayPath);
      },
    };
  } catch (error) {
    return toFailure(error, displayPath);
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
      if (size > MAX_CURRENT_BYTES) throw Object.assign(new Error('too large'), { code: 'EFBIG' });
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
