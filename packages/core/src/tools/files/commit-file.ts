/**
 * Makes a prepared change of a file: recorded in the journal, atomic, and only if the file is what consent was given for. A change
 * that fails halfway is rolled back.
 */
import type { ToolResult } from '@crewagent/protocol/tools';
import { sha256Of } from '../../base/sha256.ts';
import { stagingName } from '../../base/staging.ts';
import { ChangedMeanwhile, type FileIdentity } from '../../mounts/file-identity.ts';
import { formatMountPath, type MountPath } from '../../mounts/mount-path.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import { SandboxViolation } from '../../mounts/sandbox-violation.ts';
import type { StateDocument } from '../state/state-file.ts';
import { runnerOf } from './file-fact.ts';
import {
  type CurrentFile,
  type FileChange,
  toFailure,
  type WriteRequest,
  type WriteSources,
} from './write-request.ts';

/** Throws ChangedMeanwhile, and changes nothing, if the file is no longer the one that was prepared. */
export async function commitFile(
  request: WriteRequest,
  change: FileChange,
  sources: WriteSources,
): Promise<ToolResult> {
  const { current, content, displayPath, fact } = change;
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
        verify() {
          const prepared = { path: request.path, file: current, content };
          if (runnerOf(prepared, sources) !== fact.runsLater) throw new ChangedMeanwhile();
        },
      });
    } catch (error) {
      await recorded?.abandon();
      // Nothing was in the way when the path was resolved.
      throw error instanceof SandboxViolation ? new ChangedMeanwhile() : error;
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
    await recorded?.done();
    return toResult(request, { change, sha256After: fact.after.sha256 ?? sha256Of(content), state });
  } catch (error) {
    if (error instanceof ChangedMeanwhile) throw error;
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
