/** Creates the artifacts folder of a run when it starts or continues: people and steps expect it to exist. */
import { CrewError } from '../base/crew-error.ts';
import { errnoOf } from '../base/errno.ts';
import { parseMountPath } from '../mounts/mount-path.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';
import type { LiveRun } from './live-run.ts';

export async function createArtifactsFolder({ sources }: LiveRun): Promise<void> {
  const { plan, record, files } = sources;
  const { artifactsDir, approval } = record.tools;
  const parsed = parseMountPath(`@project/${artifactsDir}`);
  if (!plan || !parsed.ok || approval === 'read-only') return;
  try {
    await files.makeFolder(parsed.path);
  } catch (error) {
    // The first write to the folder reports the error; a run that writes nothing is not affected.
    const isTold = error instanceof CrewError && error.code !== 'FOLDER_NOT_FOUND';
    if (!isTold && !(error instanceof SandboxViolation) && errnoOf(error) === undefined) throw error;
  }
}
