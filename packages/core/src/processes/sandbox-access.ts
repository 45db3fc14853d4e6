/** What a sandbox gives access to, and the command inside it. */

/** What a process in the sandbox may use. Paths are absolute. */
export interface SandboxAccess {
  /** Readable and writable. */
  readonly project: string;
  readonly network: boolean;
  /** Folders that may be read besides the project and the system. */
  readonly folders: readonly string[];
  /** Files and folders of the project that may be read, but not changed. Never links. */
  readonly readOnly: readonly string[];
  /** Files and folders of the project whose content is hidden. Never links: their targets would be bound. */
  readonly hidden: readonly { readonly path: string; readonly isFolder: boolean }[];
}

export interface WrappedCommand {
  readonly command: string;
  readonly args: readonly string[];
}
