/**
 * Names that no listing, search or package of ours carries: leavings of operating systems,
 * version control and package managers.
 */
const IGNORED: ReadonlySet<string> = new Set([
  '.DS_Store',
  '.AppleDouble',
  '.Spotlight-V100',
  '.Trashes',
  '.fseventsd',
  '__MACOSX',
  'Thumbs.db',
  'desktop.ini',
  '.git',
  '.hg',
  '.svn',
  'node_modules',
  // What an import wrote last, for telling hand edits apart at the next one.
  '.crewagent-import',
]);

export function isIgnoredName(name: string): boolean {
  return IGNORED.has(name) || name.startsWith('._');
}
