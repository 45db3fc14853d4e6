/**
 * Performs every write of a tool: reads the current file, checks preconditions, computes and checks the new content.
 * Nothing is written until the prepared action is committed; a failed commit is rolled back.
 */
import { toFileAction } from '@crewagent/protocol/described-actions';
import { effectKindOf, STATE_DOCUMENT } from '@crewagent/protocol/tool-effects';
import type { ToolFailure, ToolResult } from '@crewagent/protocol/tools';
import { ifPresent } from '../../base/errno.ts';
import { sha256Of } from '../../base/sha256.ts';
import { stagingName } from '../../base/staging.ts';
import type { FileIdentity } from '../../mounts/file-identity.ts';
import { formatMountPath, type MountPath } from '../../mounts/mount-path.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import { isReadOnly } from '../../mounts/read-only.ts';
import { isGitFolder } from '../../mounts/sensitive/git-folder.ts';
import type { FindRunner } from '../../mounts/sensitive/runs-later.ts';
import { readFrontmatter } from '../../workflow/frontmatter.ts';
import { isSameValue } from '../../workflow/same-value.ts';
import { allowedNext } from '../../workflow/transition.ts';
import { DamagedState, type StateDocument } from '../state/state-file.ts';
import type { StateGate } from '../state/state-gate.ts';
import type { StateChange } from '../state/validate-change.ts';
import { answer, type ChangeRecorder, failure, type ToolFact } from '../tool.ts';
import { toFileFailure } from '../tool-failure.ts';
import type { ToolPaths } from '../tool-paths.ts';
import type { EffectFacts, PreparedAction, ToolAnswer, ToolCallContext } from '../tool-source.ts';
import { type CurrentContent, maskBytes, type NextContent, nextContent } from './hidden-content.ts';
import { decodeText } from './text-file.ts';

export interface WriteSources {
  readonly files: MountedFs;
  readonly paths: ToolPaths;
  /** Undefined in a thread, which has no state document. */
  readonly gate: StateGate | undefined;
  readonly recorder: ChangeRecorder;
  readonly findRunner: FindRunner;
  readonly artifactsDir: string;
  readonly maxWriteBytes: number;
  /** In strict mode only runtime.* tools change the state document. */
  readonly strictState: boolean;
  onFact(fact: ToolFact): void;
}

export type { CurrentContent } from './hidden-content.ts';

interface CurrentFile extends CurrentContent {
  readonly mode: number;
  readonly identity: FileIdentity;
}

export interface WriteRequest {
  readonly path: MountPath;
  readonly call: ToolCallContext;
  readonly ifMatchSha256: string | undefined;
  readonly next: NextContent;
  /** Builds the tool's result. */
  describe(facts: WriteFacts): Record<string, unknown>;
  /** Effect besides the path. */
  effectOf(facts: Pick<WriteFacts, 'diff'> & { readonly isNew: boolean }): EffectFacts;
}

export interface WriteFacts {
  readonly sha256Before: string | undefined;
  readonly sha256After: string;
  readonly bytes: number;
  readonly diff: string;
  /** The file is the state document. */
  readonly isState: boolean;
}

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

async function prepareWrite(
  request: WriteRequest,
  sources: WriteSources,
): Promise<PreparedAction | ToolFailure> {
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
    const diff = await diffOf(displayPath, shown, maskBytes(content));
    const isUnchanged = current?.bytes.equals(content) ?? false;
    const runsLater =
      path.mount === '@project' ? sources.findRunner({ ...path, mode: file?.mode, content }) : undefined;
    const { name } = request.call;
    const newness = current ? {} : { isNew: true as const };
    return {
      ...(runsLater ? { runsLater } : {}),
      action: { ...toFileAction(name, formatMountPath(path), diff, effectKindOf(name)), ...newness },
      effect: {
        ...request.effectOf({ diff, isNew: current === undefined }),
        path: displayPath,
        ...(await describeChange(diff, shown)),
        ...newness,
        ...(isUnchanged ? { isUnchanged: true as const } : {}),
      },
      isNoop: isUnchanged,
      commit: () => commitFile({ ...request, path }, { current: file, content, diff, displayPath }, sources),
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

async function prepareState(
  request: WriteRequest,
  {
    base,
    content,
    displayPath,
    gate,
  }: { base: StateDocument; content: Buffer; displayPath: string; gate: StateGate },
  sources: WriteSources,
): Promise<PreparedAction | ToolFailure> {
  if (sources.strictState) {
    return failure(
      'E_SANDBOX_VIOLATION',
      `"${displayPath}" cannot be written with fs tools in this run; use runtime.complete_node or runtime.update_state.`,
      { reason: 'private' },
    );
  }
  const validated = await gate.validate(base, content.toString('utf8'));
  if (!validated.ok) return { ok: false, error: validated.error };
  return prepareStateChange(validated.change, gate, { ...request, tool: request.call.name });
}

interface StateRequest extends Pick<WriteRequest, 'describe'>, Partial<Pick<WriteRequest, 'effectOf'>> {
  readonly tool: string;
}

/** A validated state change as an action that can be previewed and committed. */
export async function prepareStateChange(
  change: StateChange,
  gate: StateGate,
  { tool, describe, effectOf }: StateRequest,
): Promise<PreparedAction> {
  const path = STATE_DOCUMENT;
  const bytes = Buffer.from(change.text, 'utf8');
  const diff = await diffOf(path, Buffer.from(change.base.text, 'utf8'), bytes);
  return {
    action: toFileAction(tool, path, diff, 'state'),
    effect: { kind: 'state', ...(effectOf ? { path, ...effectOf({ diff, isNew: false }) } : {}) },
    isNoop: false,
    async commit() {
      try {
        const written = await gate.commit(change, diff);
        const facts = {
          sha256Before: change.base.sha256,
          sha256After: written.sha256,
          bytes: bytes.length,
          diff,
          isState: true,
        };
        return {
          ok: true,
          path,
          ...describe(facts),
          ...(change.notes.length > 0 ? { notes: change.notes } : {}),
          state: {
            sha256: written.sha256,
            currentNodeId: change.to,
            ...newlyAllowed(change, written, gate),
          },
        };
      } catch (error) {
        return toFailure(error, path);
      }
    },
  };
}

/** The model has the same edges in its brief. */
function newlyAllowed({ base }: StateChange, written: Pick<StateDocument, 'state'>, { graph }: StateGate) {
  const allowed = allowedNext(written.state, graph);
  return isSameValue(allowed, allowedNext(base.state, graph)) ? {} : { allowedNext: allowed };
}

const SHORT_DIFF_CHARS = 4_000;
const RESULT_DIFF_CHARS = 800;

/** The model wrote the change itself: the diff only shows where it was made. */
export function toResultDiff({ diff, isState }: Pick<WriteFacts, 'diff' | 'isState'>): string {
  const plain = diff.replace(/^Index: .*\n=+\n/, '');
  // The runtime dates every change of the state document.
  const isDate = (hunk: string): boolean => !/^[+-](?!updatedAt:)/m.test(hunk);
  const [head = '', ...changes] = plain.split(/^(?=@@ )/m);
  const hunks = isState ? [head, ...changes.filter((hunk) => !isDate(hunk))].join('') : plain;
  return hunks.length > RESULT_DIFF_CHARS ? `${hunks.slice(0, RESULT_DIFF_CHARS)}\n…` : hunks;
}

/** As much of a diff as goes into a log. */
export function shortenDiff(diff: string): string {
  return diff.length > SHORT_DIFF_CHARS ? `${diff.slice(0, SHORT_DIFF_CHARS)}\n…` : diff;
}

/** Loaded lazily: the diff module is large, and not every run writes. */
async function diffOf(path: string, before: Buffer | undefined, after: Buffer): Promise<string> {
  return (await import('./unified-diff.ts')).diffOf(path, before, after);
}

interface FileChange {
  readonly current: CurrentFile | undefined;
  readonly content: Buffer;
  readonly diff: string;
  readonly displayPath: string;
}

async function commitFile(
  request: WriteRequest,
  change: FileChange,
  sources: WriteSources,
): Promise<ToolResult> {
  const { current, content, displayPath } = change;
  const { files, recorder } = sources;
  const isProject = request.path.mount === '@project';
  try {
    if (current?.bytes.equals(content)) {
      const state = await recordArtifact(request.path, sources);
      return toResult(request, { change, sha256After: current.sha256, state });
    }
    const recorded = isProject
      ? await recorder.begin({
          callId: request.call.callId,
          path: formatMountPath(request.path),
          before: current?.bytes,
          after: content,
          mode: current?.mode,
        })
      : undefined;
    const tempName = recorded?.tempName ?? stagingName('writing');
    let identity: FileIdentity;
    try {
      identity = await files.replace(request.path, content, {
        expected: current?.identity ?? 'absent',
        tempName,
      });
    } catch (error) {
      await recorded?.abandon();
      throw error;
    }
    let state: StateDocument | undefined;
    try {
      state = await recordArtifact(request.path, sources);
    } catch (error) {
      try {
        await restore(files, request.path, current, { expected: identity, tempName });
      } finally {
        await recorded?.abandon();
      }
      throw error;
    }
    const sha256After = sha256Of(content);
    await recorded?.done();
    return toResult(request, { change, sha256After, state });
  } catch (error) {
    return toFailure(error, displayPath);
  }
}

interface Written {
  readonly change: FileChange;
  readonly sha256After: string;
  readonly state: StateDocument | undefined;
}

function toResult(request: WriteRequest, { change, sha256After, state }: Written): ToolResult {
  const { current, content, diff, displayPath } = change;
  const facts = { sha256Before: current?.sha256, sha256After, bytes: content.length, diff, isState: false };
  return {
    ok: true,
    path: displayPath,
    ...request.describe(facts),
    ...(state ? { state: { sha256: state.sha256 } } : {}),
  };
}

/** How much of a text changes, and whether anything of the old one is left. */
async function describeChange(
  diff: string,
  before: Buffer | undefined,
): Promise<Pick<EffectFacts, 'lines' | 'isReplaced'>> {
  const { countLines, removesAll } = await import('./unified-diff.ts');
  const lines = countLines(diff);
  if (!lines) return {};
  const old = (before && decodeText(before)?.text) ?? '';
  const isReplaced = old.trim() !== '' && removesAll(diff, old);
  return { lines, ...(isReplaced ? { isReplaced: true } : {}) };
}

/** Records a file in the artifacts folder as an artifact of the run. */
async function recordArtifact(path: MountPath, sources: WriteSources): Promise<StateDocument | undefined> {
  const folder = sources.artifactsDir.split('/').filter(Boolean);
  const isArtifact =
    path.mount === '@project' &&
    path.segments.length > folder.length &&
    folder.every((segment, index) => path.segments[index] === segment);
  if (!isArtifact) return undefined;
  const relative = path.segments.join('/');
  const state = await sources.gate?.recordArtifact(relative);
  sources.onFact({ type: 'artifact.written', path: `@project/${relative}` });
  return state;
}

/** Restores the previous content; overwrites only what this call wrote. */
async function restore(
  files: MountedFs,
  path: MountPath,
  previous: CurrentFile | undefined,
  written: { expected: FileIdentity; tempName: string },
): Promise<void> {
  if (!previous) return files.remove(path, written.expected);
  await files.replace(path, previous.bytes, written);
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

function isStateDocument({ mount, segments }: MountPath): boolean {
  return mount === '@state' && segments.length === 1 && segments[0] === 'workflow.md';
}

function toFailure(error: unknown, displayPath: string): ToolFailure {
  return error instanceof DamagedState
    ? { ok: false, error: error.error }
    : toFileFailure(error, displayPath);
}
