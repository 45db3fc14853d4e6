/** Joins a folder and a name with the path separator of the server's machine. Pure. */
export function joinFolder(parent: string, name: string): string {
  const separator = /^[A-Za-z]:|^\\\\/.test(parent) ? '\\' : '/';
  return `${parent.replace(/[\\/]+$/, '')}${separator}${name}`;
}

/** A valid name of a single folder on every system. */
export function isFolderName(name: string): boolean {
  return name.trim() !== '' && !/[\\/:*?"<>|\0]/.test(name) && !/^\.{1,2}$/.test(name.trim());
}
