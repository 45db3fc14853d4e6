/** The port to the files of projects: copied to this machine for a tree of Works, and merged back. Types only. */
export interface Workspaces {
  /** Copies the project's files, with what the tree of Works changed before and has not checked in, to a folder of this machine. */
  checkOut(rootId: string): Promise<Workspace>;
  /** A read-only copy of the newest version for readers, refreshed when it is not the newest. Shared by readers of this process. */
  readHead(projectId: string): Promise<string>;
}

export interface Workspace {
  readonly rootId: string;
  readonly projectId: string;
  /** The real folder that is mounted as `@project`. */
  readonly folder: string;
  /** Merges what the tree has changed into the project. Nothing is written if the claim was lost. */
  checkIn(claim: { readonly rootId: string; readonly epoch: string }): Promise<unknown>;
  /** Removes the copy. */
  remove(): Promise<void>;
}
