/** The state document in the real folder that is mounted as `@state`, for adapters of `WorkStore`. */
import { STATE_DOCUMENT } from '../../mounts/mount-path.ts';
import { createMountedFs } from '../../mounts/mounted-fs.ts';
import { openVersionedText, type VersionedText } from '../../mounts/versioned-text.ts';

export function openStateText(stateFolder: string): VersionedText {
  const files = createMountedFs({ project: undefined, pkg: undefined, state: stateFolder }, () => false);
  return openVersionedText(files, STATE_DOCUMENT);
}
