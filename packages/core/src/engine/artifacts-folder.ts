/**
 * The folder that a run writes its results to, made when it starts or goes on: people look for it, and steps speak of it.
 */
import { errnoOf } from '../base/errno.ts';
import { parseMountPath } from '../mounts/mount-path.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';
import type { LiveRun } from './live-run.ts';

export async function makeArtifactsFolder({ sources }: LiveRun): Promise<void> {
  const { plan, record, files } = sources;
  const { artifactsDir, approval } = record.tools;
  const parsed = parseMountPath(`@project/${artifactsDir}`);
  if (!plan || !parsed.ok || approval === 'read-only') return;
  try {
    await files.makeFolder(parsed.path);
  } catch (error) {
    // The first write there says what is wrong with it; a run that writes nothing is not held up.
    if (!(error instanceof SandboxViolation) && errnoOf(error) === undefined) throw error;
  }
}
