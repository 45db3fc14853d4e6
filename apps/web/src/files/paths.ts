/** Mount paths of a project as the page shows and changes them. Pure. */
export const PROJECT = '@project';

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The folder it is in; of the project itself, the project. */
export function parentOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end < 0 ? path : path.slice(0, end);
}

/** What was typed behind a folder: slashes at the ends and doubled ones mean nothing. */
export function joinPath(folder: string, typed: string): string {
  const parts = typed.split('/').map((part) => part.trim());
  return [folder, ...parts.filter((part) => part !== '' && part !== '.')].join('/');
}

export function isAtOrIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** Without the name of the mount, as people know it. */
export function toShownPath(path: string): string {
  return path === PROJECT ? '' : path.slice(PROJECT.length + 1);
}

/** Where something is after it, or a folder above it, was moved. */
export function toMovedPath(path: string, from: string, to: string): string {
  return isAtOrIn(path, from) ? to + path.slice(from.length) : path;
}

/** The folders above it, the nearest last. */
export function foldersAbove(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1, -1).map((_, index) => parts.slice(0, index + 2).join('/'));
}
