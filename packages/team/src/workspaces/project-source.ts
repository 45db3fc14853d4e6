/** Where the files of a project come from, as stored in its row. */
import { isAbsolute, normalize } from 'node:path';
import { CrewError, parseGitAddress } from '@crewagent/core';

export type ProjectSource =
  /** A folder that is at the same path on all machines: there are no copies and no versions. */
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'upload' }
  /** `branch`: undefined for the default branch of the repository. */
  | { readonly kind: 'git'; readonly url: string; readonly branch?: string | undefined };

/** Of a row that this program wrote. */
export function parseSource(text: string): ProjectSource {
  const source = JSON.parse(text) as Partial<ProjectSource>;
  return source.kind === undefined ? { kind: 'upload' } : (source as ProjectSource);
}

export interface SourceRules {
  /** Projects may be in these folders, and in folders of them: a project gives everybody who works in it access to its files. */
  readonly sharedFolders?: readonly string[];
  /** Repositories may be on the disk of the server, for a server of one person. */
  readonly allowLocal?: boolean;
}

/** Throws USAGE. */
export function requireSource(source: ProjectSource, rules: SourceRules = {}): ProjectSource {
  const { sharedFolders = [], allowLocal = false } = rules;
  if (source.kind === 'folder') {
    if (!isFullPath(source.path))
      throw new CrewError('USAGE', 'Enter the full path of the shared folder, the same on all machines.');
    if (!sharedFolders.some((folder) => `${source.path}/`.startsWith(`${folder.replace(/\/+$/, '')}/`)))
      throw new CrewError(
        'USAGE',
        'This folder is not shared. The administrator of the server allows folders with CREWAGENT_SHARED_FOLDERS.',
      );
  }
  if (source.kind !== 'git') return source;
  const { url, ref } = parseGitAddress(source.branch ? `${source.url}#${source.branch}` : source.url);
  if (!allowLocal && url.startsWith('file:'))
    throw new CrewError(
      'USAGE',
      'A repository on the disk of the server cannot be used. Use an address that starts with https:// or ssh://.',
    );
  return { kind: 'git', url, ...(ref === undefined ? {} : { branch: ref }) };
}

function isFullPath(path: string): boolean {
  return isAbsolute(path) && normalize(path) === path && path !== '/' && !path.includes('\0');
}
