/**
 * A copy-on-write view of a project for programs: what they write is not in the project until it is committed. Types only.
 */
import type { EntryKind } from '../base/entry-kind.ts';
import type { SandboxAccess, WrappedCommand } from './sandbox-access.ts';

export interface View {
  /** Private folder of the view. It outlives the process if `close` keeps it. */
  readonly folder: string;
  /** Real folder with the changed entries, at their paths in the project. */
  readonly contents: string;
  /** The command as it is started, in a folder of the project. */
  wrap(command: WrappedCommand, cwd: readonly string[]): StartedCommand;
  /** Makes changes of the project visible to programs that already run in the view. */
  refresh(): Promise<void>;
  /** Names that programs tried to reach over the network and may not, each once. */
  takeRefusedHosts(): readonly string[];
  /** What differs from the project, in the order in which it can be applied. */
  changes(): ViewChange[];
  /** Ends the view. `keep`: its changes stay on disk. */
  close(options?: { readonly keep: boolean }): Promise<void>;
}

export interface ViewOptions {
  /** Private and empty; created by the caller. */
  readonly folder: string;
  readonly access: SandboxAccess;
}

/** A command with what it needs outside the sandbox. */
export interface StartedCommand extends WrappedCommand {
  /** Overrides the environment that a process inherits. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface ViewEntry {
  readonly kind: EntryKind;
  /** With the bits for setuid, setgid and sticky. */
  readonly mode: number;
  readonly size: number;
  /** Identity, size and times: another stamp means that the entry was touched. */
  readonly stamp: string;
  readonly changedNs: bigint;
}

export interface ViewChange {
  /** Path in the project. */
  readonly path: string;
  /** Undefined if there is no entry. */
  readonly before: ViewEntry | undefined;
  readonly after: ViewEntry | undefined;
  /** The entry takes the place of a folder, which is removed before. */
  readonly isReplacement?: boolean;
}
