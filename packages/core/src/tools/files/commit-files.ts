/**
 * Writes prepared files: all of them or none. The intents of all are recorded before the first file is replaced, so that
 * after a crash the journal can tell, and take back, what a call has done by half.
 */
import type { FileFact, RunsLater } from '@crewagent/protocol/tools';
import { sha256Of } from '../../base/sha256.ts';
import { stagingName } from '../../base/staging.ts';
import { ChangedMeanwhile, type FileIdentity } from '../../mounts/file-identity.ts';
import { formatMountPath, type MountPath } from '../../mounts/mount-path.ts';
import { SandboxViolation } from '../../mounts/sandbox-violation.ts';
import type { StateDocument } from '../state/state-file.ts';
import type { RecordedChange } from '../tool.ts';
import type { CurrentFile, FileChange, WriteSources } from './write-request.ts';

type CommitSources = Pick<
  WriteSources,
  'files' | 'recorder' | 'findRunner' | 'gate' | 'artifactsDir' | 'onFact'
>;

type Committed =
  /** `state`: the state document after new artifacts were recorded in it. */
  | { readonly ok: true; readonly state: StateDocument | undefined }
  /** `failed`: the change that could not be made; none was. */
  | { readonly ok: false; readonly failed: FileChange; readonly error: unknown };

interface Step {
  readonly change: FileChange;
  readonly recorded: RecordedChange | undefined;
  readonly tempName: string;
  /** Set once the file is replaced. */
  identity?: FileIdentity;
}

/** Throws ChangedMeanwhile, and changes nothing, if a file is no longer the one that was prepared. */
export async function commitFiles(
  changes: readonly FileChange[],
  sources: CommitSources,
): Promise<Committed> {
  const steps: Step[] = [];
  let at = changes[0];
  try {
    const made = changes.filter(({ current, content }) => !current?.bytes.equals(content));
    for (const change of made) {
      at = change;
      steps.push(await begin(change, sources, made.length > 1));
    }
    for (const step of steps) {
      at = step.change;
      step.identity = await replace(step, sources);
    }
    const state = await recordArtifacts(changes, sources);
    for (const { recorded } of steps) await recorded?.done();
    return { ok: true, state };
  } catch (error) {
    const issue = await rollBack(steps, sources);
    if (!at || (error instanceof ChangedMeanwhile && !issue)) throw error;
    return { ok: false, failed: at, error: issue ? issue.error : error };
  }
}

async function begin(change: FileChange, { recorder }: CommitSources, isGrouped: boolean): Promise<Step> {
  const { path, callId, current, content } = change;
  if (path.mount !== '@project') return { change, recorded: undefined, tempName: stagingName('writing') };
  const recorded = await recorder.begin({
    callId,
    path: formatMountPath(path),
    before: current?.bytes,
    after: content,
    mode: current?.mode,
    isGrouped,
  });
  return { change, recorded, tempName: recorded.tempName };
}

async function replace({ change, tempName }: Step, sources: CommitSources): Promise<FileIdentity> {
  const { path, current, content, fact } = change;
  try {
    return await sources.files.replace(path, content, {
      expected: current?.identity ?? 'absent',
      tempName,
      verify() {
        if (runnerOf({ path, file: current, content }, sources) !== fact.runsLater)
          throw new ChangedMeanwhile();
      },
    });
  } catch (error) {
    // Nothing was in the way when the path was resolved.
    throw error instanceof SandboxViolation ? new ChangedMeanwhile() : error;
  }
}

/** Restores the previous contents, the last change first; overwrites only what this call wrote. Returns the first error. */
async function rollBack(
  steps: readonly Step[],
  { files }: CommitSources,
): Promise<{ readonly error: unknown } | undefined> {
  let issue: { readonly error: unknown } | undefined;
  for (const { change, recorded, tempName, identity: expected } of steps.toReversed()) {
    const { path, current } = change;
    try {
      if (expected && current) await files.replace(path, current.bytes, { expected, tempName });
      else if (expected) await files.remove(path, expected);
    } catch (error) {
      issue ??= { error };
    }
    await recorded?.abandon();
  }
  return issue;
}

/** Records files in the artifacts folder as artifacts of the run. */
async function recordArtifacts(
  changes: readonly FileChange[],
  { artifactsDir, gate, onFact }: CommitSources,
): Promise<StateDocument | undefined> {
  const folder = artifactsDir.split('/').filter(Boolean);
  const artifacts = changes
    .map(({ path }) => path)
    .filter(
      ({ mount, segments }) =>
        mount === '@project' &&
        segments.length > folder.length &&
        folder.every((segment, index) => segments[index] === segment),
    )
    .map(({ segments }) => segments.join('/'));
  if (artifacts.length === 0) return undefined;
  const state = await gate?.recordArtifacts(artifacts);
  for (const path of artifacts) onFact({ type: 'artifact.written', path: `@project/${path}` });
  return state;
}

interface PreparedFile {
  /** With links resolved. */
  readonly path: MountPath;
  /** Undefined if there is none. The file keeps its permissions. */
  readonly file: CurrentFile | undefined;
  readonly content: Buffer;
}

type RunnerSources = Pick<WriteSources, 'files' | 'findRunner'>;

/** The fact about a file that consent to a write is bound to. */
export function toFileFact(prepared: PreparedFile, sources: RunnerSources): FileFact {
  const { path, file, content } = prepared;
  const runsLater = runnerOf(prepared, sources);
  const after = { kind: 'file', sha256: sha256Of(content) } as const;
  return {
    path: formatMountPath(path),
    before: file
      ? { kind: 'file', identity: identityOf(file.identity), mode: file.mode, sha256: file.sha256 }
      : { kind: 'absent' },
    after: { ...after, mode: file?.mode },
    runsLater,
  };
}

function identityOf({ device, inode }: Pick<FileIdentity, 'device' | 'inode'>): string {
  return `${device}:${inode}`;
}

/** What would run a file of the project later. */
function runnerOf(
  { path, file, content }: PreparedFile,
  { files, findRunner }: RunnerSources,
): RunsLater | undefined {
  const { mount, segments } = path;
  if (mount !== '@project') return undefined;
  return findRunner({ segments, mode: file?.mode, content, exists: files.kindOf });
}
