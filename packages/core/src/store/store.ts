/**
 * The store of a user. Each part is a port; only `store/disk` knows where its files are. Types only.
 */

import type { MessageRules } from '@crewagent/protocol/model';
import type { PolicySource } from '../policy/policy-source.ts';
import type { FileChangeStore } from './file-changes.ts';
import type { PackageStore } from './package-store.ts';
import type { ProjectStore } from './project-store.ts';
import type { StoredSecrets } from './secret-store.ts';
import type { SettingsStore } from './settings-store.ts';
import type { StoredDocument } from './stored-document.ts';
import type { StoredLines } from './stored-lines.ts';
import type { WorkStore } from './work-store.ts';

/** Everything but Works. */
export interface UserStore {
  /** Where the store is: to be shown to its owner, and to be removed from texts for others. */
  readonly root: string;
  readonly settings: SettingsStore;
  /** What an organisation allows on this machine. */
  readonly policy: PolicySource;
  readonly projects: ProjectStore;
  readonly secrets: StoredSecrets;
  readonly packages: PackageStore;
  /** Keys that this person signs packages with. */
  readonly signingKeys: StoredDocument;
  /** Message rules learned from errors of providers. */
  learnedRules(now: () => Date): LearnedRules;
  /** Cache: what was counted in the logs of runs. */
  readonly tallies: StoredDocument;
  /** Cache: which files runs read and wrote. */
  readonly fileUses: StoredDocument;
  /** Cache: what can be searched of the logs. */
  readonly searchTexts: StoredLines;
  /** A person's changes to the files of a project. */
  fileChanges(projectId: string): Promise<FileChangeStore>;
  /** Machines of several people execute its Works: programs run in the sandbox there, or not at all. */
  readonly requiresSandbox?: boolean;
  readonly localModels: LocalModels;
}

/** Real paths of built-in models and of the program that runs them, which other programs open. */
export interface LocalModels {
  readonly folder: string;
  readonly runtime: string;
  /** Script that runs a model. */
  readonly host: string;
  /** File of a downloaded model. */
  weights(model: string): string;
}

export interface Store extends UserStore {
  readonly works: WorkStore;
  /** Deletes the conversations and runs of a project. A conversation is deleted with all its runs, or not at all. */
  clearProject(projectId: string): Promise<Cleared>;
  /** Atomic: throws RUN_LOCKED, without deleting anything, while a conversation or run of the project is in use. */
  forgetProject(projectId: string): Promise<void>;
  measure(): Promise<StoreSizes>;
  /** Checks whether it can be written, without leaving anything behind. */
  probe(): Promise<StoreProbe>;
}

export interface StoreProbe {
  /** False before the first write. */
  readonly exists: boolean;
  /** Why it cannot be written. */
  readonly problem?: string;
  /** Whether the operating system supports file locks there. */
  readonly hasKernelLocks: boolean;
}

export interface Cleared {
  /** How many were deleted. */
  readonly conversations: number;
  readonly runs: number;
  /** Number of conversations, and of runs outside of them, that are in use and were not deleted. */
  readonly kept: number;
}

export interface StoreSizes {
  readonly bytes: number;
  readonly packages: { readonly count: number; readonly bytes: number };
  /** Most recently opened first. */
  readonly projects: readonly ProjectSize[];
  /** The count stopped at the limit, so the sizes are too low. */
  readonly isCut: boolean;
}

export interface ProjectSize {
  readonly projectId: string;
  readonly conversations: number;
  readonly runs: number;
  readonly bytes: number;
}

/** Message rules that were learned from errors of providers. */
export type LearnedMessageRules = Partial<Omit<MessageRules, 'origin'>>;

export interface LearnedRules {
  read(origin: string): Promise<LearnedMessageRules | undefined>;
  write(origin: string, rules: LearnedMessageRules): Promise<void>;
}
