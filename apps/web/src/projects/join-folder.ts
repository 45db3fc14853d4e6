/** A folder in a folder, as the machine that the server is on writes it. Pure. */
export function joinFolder(parent: string, name: string): string {
  const separator = /^[A-Za-z]:|^\\\\/.test(parent) ? '\\' : '/';
  return `${parent.replace(/[\\/]+$/, '')}${separator}${name}`;
}

/** What no system takes as the name of one folder. */
export function isFolderName(name: string): boolean {
  return name.trim() !== '' && !/[\\/:*?"<>|\0]/.test(name) && !/^\.{1,2}$/.test(name.trim());
}
