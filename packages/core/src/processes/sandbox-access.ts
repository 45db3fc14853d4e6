/**
 * What programs in the sandbox have access to: one function for commands and for MCP servers. Secret files are hidden, git folders
 * are read-only unless a person allowed git. Throws if that cannot be found out: nothing runs unprotected.
 */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { SandboxOptions } from '@crewagent/protocol/sandbox';
import type { Policies } from '../policy/loaded-policy.ts';
import { findRefusal, limitsHosts } from '../policy/restrict.ts';
import { findProtected, type IsSecretEntry } from './find-protected.ts';
import { findRegistryHosts } from './network-gate/project-registries.ts';

export interface SandboxAccess {
  /** Real path of the project. */
  readonly project: string;
  /** Names that may be reached over the network, through a gate; undefined: there is no network. */
  readonly hosts?: readonly string[] | undefined;
  /** Real paths of folders that may be read besides the project and the system. */
  readonly folders: readonly string[];
  /** Entries of the project that may be read, but not changed, by path in the project. Never links. */
  readonly readOnly: readonly string[];
  /** Entries of the project that do not exist for the program, by path in the project. */
  readonly hidden: readonly string[];
}

export interface WrappedCommand {
  readonly command: string;
  readonly args: readonly string[];
}

export interface AccessOptions {
  readonly project: string;
  readonly options: SandboxOptions;
  readonly isSecret: IsSecretEntry;
  readonly policies?: Policies | undefined;
}

export async function computeAccess({
  project,
  options,
  isSecret,
  policies = [],
}: AccessOptions): Promise<SandboxAccess> {
  const { folders, git } = options;
  // Only bubblewrap has a gate that tells names apart.
  const network = options.network && (process.platform === 'linux' || !limitsHosts(policies));
  const [{ secrets, gitFolders }, registries] = await Promise.all([
    findProtected(project, isSecret),
    network ? findRegistryHosts(project) : [],
  ]);
  return {
    project,
    hosts: network
      ? [...registries, ...options.hosts].filter((host) => !findRefusal(policies, { kind: 'host', host }))
      : undefined,
    folders: folders.map((folder) => resolve(folder.replace(/^~(?=\/)/, homedir()))),
    readOnly: git ? [] : gitFolders,
    hidden: secrets,
  };
}
