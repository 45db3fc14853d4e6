/** Operations on the mount paths of a project. Pure. */
export const PROJECT = '@project';

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The parent folder; the project is its own parent. */
export function parentOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end < 0 ? path : path.slice(0, end);
}

/** Appends a typed path to a folder; redundant slashes are ignored. */
export function joinPath(folder: string, typed: string): string {
  const parts = typed.split('/').map((part) => part.trim());
  return [folder, ...parts.filter((part) => part !== '' && part !== '.')].join('/');
}

export function isAtOrIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** Of a project file, for display. */
export function withoutMount(path: string): string {
  return path === PROJECT ? '' : path.slice(PROJECT.length + 1);
}

/** The new path after the file, or a folder above it, was moved. */
export function toMovedPath(path: string, from: string, to: string): string {
  return isAtOrIn(path, from) ? to + path.slice(from.length) : path;
}

/** The folders above a path, outermost first. */
export function foldersAbove(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1, -1).map((_, index) => parts.slice(0, index + 2).join('/'));
}
