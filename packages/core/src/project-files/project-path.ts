/**
 * Paths of a project's files as they come in from a person's program.
 */
import { CrewError } from '../base/crew-error.ts';
import { segmentDanger } from '../base/file-names.ts';
import { parseStagingName } from '../base/staging.ts';
import { type MountPath, parseMountPath } from '../mounts/mount-path.ts';

/** Throws for what is no path in the project. Nothing is completed or repaired. */
export function parseProjectPath(text: string): MountPath {
  if (!/^@project(?:\/|$)/.test(text)) {
    throw new CrewError('USAGE', 'A path of a project file begins with "@project/".');
  }
  const parsed = parseMountPath(text);
  if (!parsed.ok) throw new CrewError('USAGE', parsed.reason);
  return parsed.path;
}

/** The same for something in the project, not the project itself. */
export function parsePathInside(text: string): MountPath {
  const path = parseProjectPath(text);
  if (path.segments.length > 0) return path;
  throw new CrewError('USAGE', 'The project itself is no file of it; name something in it.');
}

/** Throws for a name that some system could not keep, or that we ourselves use for work in progress. */
export function checkNewName(name: string): void {
  const danger = segmentDanger(name) ?? (parseStagingName(name) && 'is kept for work in progress');
  if (danger) throw new CrewError('USAGE', `The name "${name.slice(0, 120)}" ${danger}; choose another.`);
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

/** Whether one path is the other or leads to it. */
export function isAtOrAbove(above: MountPath, path: MountPath): boolean {
  return above.segments.every((segment, index) => segment === path.segments[index]);
}

/** The path a stored change names. */
export function toMountPath(stored: string): MountPath {
  return { mount: '@project', segments: stored.split('/').slice(1) };
}
