/**
 * The port to the journal of a Work: before- and after-images of project files, so that changes can be undone. Types only.
 */
import type { ChangeSelection, JournalEntry, UndoneFile } from '@crewagent/protocol/journal';
import type { MountedFs } from '../mounts/mounted-fs.ts';

export interface Journal {
  /** Call it before changing a file: when it resolves, the change can be undone, even after a crash. */
  begin(change: IntendedChange): Promise<RecordedChange>;
  /** `begin` for many entries, with a few syncs. */
  beginAll(changes: readonly IntendedEntry[], options: BeginAll): Promise<readonly RecordedChange[]>;
  /** Changes that were made, in order. */
  list(): JournalEntry[];
  undo(selection: ChangeSelection): Promise<UndoneFile[]>;
  redo(selection: ChangeSelection): Promise<UndoneFile[]>;
}

export interface JournalOptions {
  readonly files: MountedFs;
  readonly clock: () => Date;
  /** Above this total, only images of small files are stored. */
  readonly capBytes?: number;
  readonly warn: (message: string) => void;
}

export interface IntendedChange {
  readonly callId: string;
  readonly nodeId?: string | undefined;
  /** Full mount path of a project file. */
  readonly path: string;
  /** Undefined for a file that is created. */
  readonly before: Uint8Array | undefined;
  /** Current permissions of the file. */
  readonly mode: number | undefined;
  /** Undefined for a file that is deleted. */
  readonly after: Uint8Array | undefined;
  /** The call changes several files, all or none: recorded for all of them before the first is changed. */
  readonly isGrouped?: boolean;
}

/** A change of an entry itself: a file with its permissions, a link or an empty folder. */
export interface IntendedEntry {
  /** Full mount path, without links along it. */
  readonly path: string;
  readonly before: RecordedEntry | undefined;
  readonly after: RecordedEntry | undefined;
}

export interface RecordedEntry {
  readonly kind: 'file' | 'link' | 'folder';
  /** The target of a link; empty for a folder. Undefined for a file whose content is too large to be stored. */
  readonly content: Uint8Array | undefined;
  readonly sha256: string;
  readonly bytes: number;
  readonly mode: number | undefined;
}

export interface BeginAll {
  readonly callId: string;
  readonly nodeId?: string | undefined;
}

export interface RecordedChange {
  /** For the temp file beside the target. */
  readonly tempName: string;
  /** The change is on disk. */
  done(): Promise<void>;
  /** The change was rejected or failed; counts as done if it is on disk anyway. */
  abandon(): Promise<void>;
}

export interface ImageQuery {
  /** Full mount path. */
  readonly path: string;
  readonly changeId: number | undefined;
  readonly maxBytes: number;
}

export interface FileImages {
  /** Images of the requested change, or of the first and the last change. */
  readonly before: ImageContent;
  readonly after: ImageContent;
}

export type ImageContent =
  | { readonly kind: 'absent' }
  | { readonly kind: 'content'; readonly bytes: Buffer }
  /** The journal was full, or the image is damaged. */
  | { readonly kind: 'not-kept' }
  | { readonly kind: 'too-large' };
