/**
 * The port to everything stored about Works (runs and conversations). `disk` stores them in files, `memory` in this
 * process; `testing/work-store-contract.ts` tests every adapter. Types only.
 */
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import type { JournalRecord } from '@crewagent/protocol/journal';
import type { RunRecord } from '@crewagent/protocol/run';
import type { WorkRecord } from '@crewagent/protocol/work';
import type { VersionedText } from '../mounts/versioned-text.ts';
import type { RunIdentity } from '../workflow/initial-state.ts';
import type { FileImages, ImageQuery, Journal, JournalOptions } from './journal.ts';
import type { ConversationAddress, RunAddress, WorkAddress } from './work-address.ts';

export interface WorkStore {
  /** Its Works end with this process, and so do the folders that they work in: their files are not made durable. */
  readonly isThrowaway?: boolean;
  /** Creates a Work that waits: a run to be started, a conversation for a message. Atomic. */
  create(draft: RunDraft, maker: WorkMaker): Promise<RunRecord>;
  create(draft: ConversationDraft, maker: WorkMaker): Promise<ConversationRecord>;
  /** Throws RUN_NOT_FOUND or CONVERSATION_NOT_FOUND, or STORE_DAMAGED for a record that cannot be read. */
  read(address: RunAddress): Promise<RunRecord>;
  read(address: ConversationAddress): Promise<ConversationRecord>;
  read(address: WorkAddress): Promise<WorkRecord>;
  /** Applies `change` to the latest record; concurrent updates are queued. Nothing is written if it returns the same object. */
  update<Entry extends WorkRecord>(
    address: WorkAddress & { readonly isRun: Entry extends RunRecord ? true : false },
    change: (record: Entry) => Entry,
  ): Promise<Entry>;
  /** Removes a Work and its children, all or none: RUN_LOCKED while one of them is leased. */
  remove(address: WorkAddress, children?: readonly RunAddress[]): Promise<void>;
  /** Runs with this Work as their parent, and the runs they called, at any depth. */
  children(address: WorkAddress): Promise<RunAddress[]>;

  /** Newest first. */
  addresses(filter?: WorkFilter): Promise<WorkAddress[]>;
  /** `addresses` with records; a damaged record is listed with its problem. */
  list(filter?: WorkFilter): Promise<ListedWork[]>;
  /** Throws WORK_NOT_FOUND. */
  find(workId: string): Promise<WorkAddress>;
  /** Detects changes to all Works by any process. */
  watch(): WorkWatch;

  /** Exclusive across processes; throws RUN_LOCKED while it is held. Released when its process exits. */
  lease(address: WorkAddress): Promise<WorkLease>;
  isLeased(address: WorkAddress): Promise<boolean>;
  /** Asks the holder of the lease to stop. */
  requestStop(address: WorkAddress): Promise<void>;
  /** For the lease holder: discards earlier requests, then calls `onStop` for each new one. Returns a function that ends it. */
  watchStop(address: WorkAddress, onStop: () => void): Promise<() => void>;
  /** For the lease holder: removes incomplete writes of a process that died. */
  tidy(address: WorkAddress): Promise<void>;
  /** Removes Works that a process was creating or removing when it died. */
  sweep(): Promise<void>;

  /** For the lease holder. */
  openLog(address: WorkAddress, options: OpenLogOptions): Promise<RunLog>;
  /** Every readable event in order, also while another process writes. A missing log is empty. */
  readLog(address: WorkAddress, onEvent: (event: RunEvent) => void): Promise<LogReading>;
  /** Differs whenever the log does, and is found without reading it; undefined for a missing log. */
  logMark(address: WorkAddress): Promise<string | undefined>;
  tailLog(address: WorkAddress): LogTail;
  pageLog(address: WorkAddress): LogPages;

  /** The real folder that is mounted as `@state`; its files are up to date when this resolves, and stay so for the lease holder. */
  stateFolder(address: WorkAddress): Promise<string>;
  /** The state document of a run. Only the gate replaces it. */
  openState(address: WorkAddress): VersionedText;
  /** The real folder for views of the project that programs of this Work run in. Not in `@state`; may not exist. */
  viewsFolder(address: WorkAddress): string;
  /** For the lease holder: before-images of project files. */
  openJournal(address: WorkAddress, options: JournalOptions): Promise<Journal>;
  /** The journal's images of one file, without a lease. */
  readImages(address: WorkAddress, query: ImageQuery): Promise<FileImages | undefined>;
  /** The whole journal, without a lease. */
  readJournal(address: WorkAddress): Promise<JournalCopy>;
  /**
   * Stores a Work of another store under its id. An older copy of it is replaced: RUN_LOCKED while that is leased. The caller has compared
   * both. Atomic.
   */
  adopt(copy: WorkCopy, options?: Pick<WorkMaker, 'publishing'>): Promise<void>;
}

export interface JournalCopy {
  readonly records: readonly JournalRecord[];
  /** Undefined for a content that was not kept. */
  read(sha256: string): Promise<Buffer | undefined>;
}

/** Everything that is stored of a Work. */
export interface WorkCopy {
  readonly record: WorkRecord;
  /** Numbered from 1, without gaps. */
  readonly events: readonly RunEvent[];
  /** Hash of each file of `@state`, by path. */
  readonly state: ReadonlyMap<string, string>;
  readonly journal: readonly JournalRecord[];
  /** Hashes of contents that the journal kept. */
  readonly images: readonly string[];
  /** A content of `state` or `images`. */
  read(sha256: string): Promise<Buffer>;
}

export interface WorkLease {
  release(): Promise<void>;
}

type Given = 'schemaVersion' | 'workId' | 'phase' | 'reason' | 'createdAt' | 'updatedAt';

export interface RunDraft extends Omit<RunRecord, Given | 'kind'> {
  /** Text of the package's workflow.md. */
  readonly stateTemplate: string;
  readonly entryNodeId: string;
  /** Mount paths of the documents passed with the command. */
  readonly inputDocuments?: readonly string[];
  /** Values for fields that the author left blank. */
  readonly blanks?: RunIdentity['blanks'];
  /** Passed by the calling workflow. */
  readonly variables?: RunIdentity['variables'];
  readonly artifacts?: RunIdentity['artifacts'];
  /** Written to the log before the run exists. */
  readonly firstFacts?: readonly RunFact[];
}

export interface ConversationDraft extends Omit<ConversationRecord, Given | 'title'> {
  /** Default: empty. */
  readonly title?: string;
  /** Written to the log before the conversation exists. */
  readonly firstFacts: readonly RunFact[];
}

/** A draft with the template of a state document is that of a run. */
export type WorkDraft = RunDraft | ConversationDraft;

export interface WorkMaker {
  readonly now: () => Date;
  /** Returns ids that sort by time. */
  readonly newId?: () => string;
  /** Wraps the publication, so that the project cannot be removed during it. */
  readonly publishing?: (publish: () => Promise<void>) => Promise<void>;
}

export interface WorkFilter {
  readonly projectId?: string | undefined;
  /** Runs only, or conversations only; default: both. */
  readonly isRun?: boolean | undefined;
}

interface Listing<Entry> {
  /** Undefined if the record cannot be read; `problem` then says why. */
  readonly record?: Entry;
  readonly problem?: string;
}

export type ListedWork = WorkAddress & Listing<WorkRecord>;
export type ListedRun = RunAddress & Listing<RunRecord>;
export type ListedConversation = ConversationAddress & Listing<ConversationRecord>;

export interface WorkWatch {
  /** Changes since the last call; the first call reports all Works. */
  poll(options?: PollOptions): Promise<WorkChanges>;
  /** As of the last `poll`, newest first. */
  list(): readonly ListedWork[];
  /**
   * Calls `onChange` when a Work may have changed, by this process or, where the system reports it, by another one. A hint:
   * `poll` from time to time as well. Does not keep the process alive. Returns a function that ends it.
   */
  subscribe(onChange: () => void): () => void;
}

export interface PollOptions {
  /** Also reads records that no writer marked as changed. */
  readonly isThorough?: boolean | undefined;
}

export interface WorkChanges {
  readonly changed: readonly ListedWork[];
  readonly removed: readonly WorkAddress[];
}

export interface OpenLogOptions {
  readonly now: () => Date;
  /** Receives every event that is already in the log, while it is opened. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

/** The single writer; requires the lease of the Work. */
export interface RunLog {
  readonly lastSeq: number;
  /** Number of the first missing or damaged event when the log was opened; the damage is not repaired. */
  readonly brokenAt: number | undefined;
  /** Adds a number and a date to the fact and appends it; durable once `sync` resolves. If it throws, nothing was appended. */
  append(fact: RunFact): RunEvent;
  /** For events that are emitted but not stored: they have the number of the last stored event. */
  stamp(fact: RunFact): RunEvent;
  /**
   * Only where an appended event can be lost with this process: when this resolves, all of them survive it, and no other
   * process has continued the Work. Called before anything that cannot be taken back.
   */
  readonly settle?: (() => Promise<void>) | undefined;
  /** When this resolves, all events appended so far survive a power loss. May be called after `close`. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface LogReading {
  readonly lastSeq: number;
  readonly isIntact: boolean;
  /** Number of the first event that is missing, damaged or out of order. */
  readonly brokenAt?: number;
}

export interface LogTail {
  /** Reports the events added since the last read, each once. Do not call it again before it has resolved. */
  read(onEvent: (event: RunEvent) => void): Promise<void>;
  /**
   * Only where other processes give notice: calls `onNew` when there are new events, also if a notice was lost, and `onDelta` with text
   * that is in no log. Nobody has to poll. Returns a function that ends it.
   */
  follow?(onNew: () => void, onDelta: (event: RunEvent) => void): () => void;
}

export interface LogPages {
  /** Up to `limit` events with numbers above `after`. Concurrent reads are queued. */
  read(range: PageRange): Promise<LogPage>;
}

export interface PageRange {
  readonly after: number;
  readonly limit: number;
}

export interface LogPage {
  readonly events: RunEvent[];
  /** Last number in the whole log. */
  readonly lastSeq: number;
  /** False once a damaged or missing event was found. */
  readonly isIntact: boolean;
}
