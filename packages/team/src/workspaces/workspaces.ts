/**
 * Real folders with the files of projects. A tree of Works changes its own copy, which any machine can make again: the version it started
 * from and what it changed since are in the store.
 */
import { join } from 'node:path';
import type { Blobs } from '../blobs/blobs.ts';
import type { Database } from '../database/database.ts';
import type { CheckIn } from './change-project.ts';
import { listConflicts, type ResolveRequest, resolveConflict, type StoredConflict } from './conflicts.ts';
import { createCopies } from './copies.ts';
import { editProject } from './edit-project.ts';
import {
  type PushedBranch,
  type PushRequest,
  pushToGit,
  type Refreshed,
  type RefreshRequest,
  refreshFromGit,
} from './git-source.ts';
import { createHeadCopies } from './head-copies.ts';
import type { ProjectEntry } from './project-entry.ts';
import { PROJECT_LIMITS, type ProjectLimits } from './project-tree.ts';
import { createProjectVersions } from './project-versions.ts';
import { createTreeWorkspaces, type Workspace } from './tree-workspaces.ts';
import { type Upload, type UploadedFile, uploadArchive, uploadFiles } from './upload-files.ts';

export type { Workspace };

/** The copy of a project in which somebody works. */
export type ProjectFolder = Pick<Workspace, 'projectId' | 'folder'>;

export interface Workspaces {
  /** Copies the project's files, with what the tree of Works changed before and has not checked in, to a folder of this machine. */
  checkOut(rootId: string): Promise<Workspace>;
  /** A read-only copy of the newest version for readers, refreshed when it is not the newest. Shared by readers of this process. */
  readHead(projectId: string): Promise<string>;
  /**
   * A person's change: `work` gets a folder with the newest version; what it changes becomes a new version, merged if another one came
   * meanwhile. Throws FILE_CONFLICT, and stores nothing, if it cannot be merged.
   */
  edit<T>(projectId: string, by: string, work: (folder: string) => Promise<T>): Promise<T>;
  /** Copies follow their projects no longer. */
  close(): Promise<void>;
}

/** What people do with projects, beside working in them. */
export interface ProjectActions {
  /** Files of the same path are replaced, others stay. */
  uploadFiles(upload: Upload<AsyncIterable<UploadedFile>>): Promise<CheckIn>;
  uploadArchive(upload: Upload<AsyncIterable<Uint8Array>>): Promise<CheckIn>;
  /** Merges what is new in the branch of a project from git; the first time, all of it. */
  refresh(request: RefreshRequest): Promise<Refreshed>;
  /** Pushes what a tree of Works has checked in as a branch. */
  push(request: PushRequest): Promise<PushedBranch>;
  /** Those that are not resolved, oldest first. */
  listConflicts(projectId: string): Promise<StoredConflict[]>;
  /** Returns the newest version. */
  resolveConflict(request: ResolveRequest): Promise<number>;
  /** The content of a side of a conflict; undefined if it is not stored. */
  readEntry(entry: ProjectEntry): Promise<Buffer | undefined>;
}

export interface WorkspacesOptions {
  readonly database: Database;
  readonly blobs: Blobs;
  /** Real folder that no other process uses. */
  readonly scratch: string;
  readonly limits?: Partial<ProjectLimits>;
  /** Copies that stay when nobody uses them. */
  readonly maxIdleCopies?: number;
}

export function createWorkspaces(options: WorkspacesOptions): Workspaces & ProjectActions {
  const { database, blobs, scratch, maxIdleCopies = 16 } = options;
  const parts = {
    database,
    blobs,
    scratch,
    versions: createProjectVersions(database),
    limits: { ...PROJECT_LIMITS, ...options.limits },
    copies: createCopies(join(scratch, 'copies'), maxIdleCopies),
  };
  const heads = createHeadCopies(parts, join(scratch, 'heads'));
  return {
    checkOut: createTreeWorkspaces(parts),
    readHead: heads.read,
    close: heads.close,
    edit: (projectId, by, work) => editProject(parts, { projectId, by }, work),
    uploadFiles: (upload) => uploadFiles(parts, upload),
    uploadArchive: (upload) => uploadArchive(parts, upload),
    refresh: (request) => refreshFromGit(parts, request),
    push: (request) => pushToGit(parts, request),
    listConflicts: (projectId) => listConflicts(database, projectId),
    resolveConflict: (request) => resolveConflict(parts, request),
    readEntry: ({ sha256 }) => blobs.get(sha256),
  };
}
