/**
 * Names excluded from listings, searches and packages: files of operating systems, version control and package
 * managers.
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
  // Record of the last import, for detecting manual edits.
  '.crewagent-import',
  // JSON Schemas for the author's editor.
  '.crewagent-schemas',
  // Signature of a package in a repository.
  '.crewagent-signature.json',
]);

export function isIgnoredName(name: string): boolean {
  return IGNORED.has(name) || name.startsWith('._');
}
