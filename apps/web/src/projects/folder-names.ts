/** Names and paths of folders as they are typed. Pure. */

/** The folder that is proposed for the example, in the home folder. */
export const EXAMPLE_FOLDER = 'crewagent-example';

/** Joins a folder and a name with the path separator of the server's machine. */
export function joinFolder(parent: string, name: string): string {
  const separator = /^[A-Za-z]:|^\\\\/.test(parent) ? '\\' : '/';
  return `${parent.replace(/[\\/]+$/, '')}${separator}${name}`;
}

/** The name of the folder at a path of the server's machine; empty for a root. */
export function folderNameOf(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== '') ?? '';
}

/** A valid name of a single folder on every system. */
export function isFolderName(name: string): boolean {
  return name.trim() !== '' && !/[\\/:*?"<>|\0]/.test(name) && !/^\.{1,2}$/.test(name.trim());
}
