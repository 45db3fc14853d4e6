/** A mount path as tests write it (`@project/a.md`). */
import { type MountPath, parseMountPath } from '../mounts/mount-path.ts';

export function mountPathOf(text: string): MountPath {
  const parsed = parseMountPath(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.path;
}
