/**
 * Writes the full text of outlined exchanges to a file of the run, so that the model can read what it no longer gets with
 * each request. The log is authoritative: a text that an earlier process could not write is written by the next one.
 */
import { errnoOf } from '../../base/errno.ts';
import { stagingName } from '../../base/staging.ts';
import { parseMountPath } from '../../mounts/mount-path.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import { SandboxViolation } from '../../mounts/sandbox-violation.ts';
import { type History, toEarlierPath } from '../../prompt/history.ts';

export function createEarlierTextWriter(files: MountedFs, history: History): () => Promise<void> {
  const written = new Map<string, string>();
  return async () => {
    const { nodeId, earlierTexts } = history;
    const text = nodeId === undefined ? undefined : earlierTexts.get(nodeId);
    if (nodeId === undefined || text === undefined || written.get(nodeId) === text) return;
    const parsed = parseMountPath(toEarlierPath(nodeId));
    if (!parsed.ok) return;
    try {
      const path = files.resolve(parsed.path, 'write');
      await files.replace(path, Buffer.from(`${text}\n`), { tempName: stagingName('writing') });
      written.set(nodeId, text);
    } catch (error) {
      // The next turn tries again. The log has the text.
      if (!(error instanceof SandboxViolation) && errnoOf(error) === undefined) throw error;
    }
  };
}
