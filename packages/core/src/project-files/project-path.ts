/**
 * Parses paths of project files that come from the user's client.
 */
import { CrewError } from '../base/crew-error.ts';
import { segmentDanger } from '../base/file-names.ts';
import { parseStagingName } from '../base/staging.ts';
import { type MountPath, parseMountPath } from '../mounts/mount-path.ts';

/** Throws if the text is not a path in the project. Nothing is completed or repaired. */
export function parseProjectPath(text: string): MountPath {
  if (!/^@project(?:\/|$)/.test(text)) {
    throw new CrewError('USAGE', 'A path of a project file begins with "@project/".');
  }
  const parsed = parseMountPath(text);
  if (!parsed.ok) throw new CrewError('USAGE', parsed.reason);
  return parsed.path;
}

/** Like `parseProjectPath`, but rejects the project folder itself. */
export function parsePathInside(text: string): MountPath {
  const path = parseProjectPath(text);
  if (path.segments.length > 0) return path;
  throw new CrewError('USAGE', 'This is the project folder itself. Name a file or folder in it.');
}

/** Throws for a name that some system does not support, or that is reserved for temp files. */
export function checkNewName(name: string): void {
  const danger = segmentDanger(name) ?? (parseStagingName(name) && 'is reserved for temporary files');
  if (danger)
    throw new CrewError('USAGE', `The name "${name.slice(0, 120)}" ${danger}. Choose another name.`);
}

export function parentOf({ mount, segments }: MountPath): MountPath {
  return { mount, segments: segments.slice(0, -1) };
}

export function nameOf({ segments }: MountPath): string {
  return segments.at(-1) ?? '';
}

export function childOf({ mount, segments }: MountPath, name: string): MountPath {
  return { mount, segments: [...segments, name] };
}

/** Whether `above` is `path` or one of its parents. */
export function isAtOrAbove(above: MountPath, path: MountPath): boolean {
  return above.segments.every((segment, index) => segment === path.segments[index]);
}

/** Path of a stored change. */
export function toMountPath(stored: string): MountPath {
  return { mount: '@project', segments: stored.split('/').slice(1) };
}
