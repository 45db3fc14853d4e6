/**
 * What the built-in searcher does in its worker threads: walks a tree, looks through its share of the files, reports
 * the lines that match. A worker is started from the source of these functions (a bundle has no file of its own for
 * it), so they use nothing but each other and Node; all of them are listed in `SEARCH_WORKER_SOURCE`.
 */
import type { isIgnoredBy, parseRules } from './ignore-globs.ts';
/** A pattern as the worker's engine wants it. */
export interface WorkerPattern {
  /** Found byte by byte; undefined when letters may differ in case, or for a regular expression. */
  readonly exactText: string | undefined;
  readonly source: string;
  readonly flags: string;
  /** Whether it means the same without the u flag in a text of plain ASCII, where it is much faster. */
  readonly isPlainAscii: boolean;
  /** Whether it can match a line break, and so tells nothing about a text of several lines. */
  readonly spansLines: boolean;
}
export type WorkerTask =
  | {
      readonly kind: 'judge';
      readonly pattern: WorkerPattern;
      readonly lines: readonly string[];
    }
  | {
      readonly kind: 'find';
      readonly pattern: WorkerPattern;
      readonly rootPath: string;
      readonly start: string;
      readonly rules: readonly string[];
      readonly skippedNames: readonly string[];
      readonly includeHidden: boolean;
      readonly maxLinesPerFile: number;
      readonly maxBytes: number;
      /** Each worker walks the whole tree, which is cheap, and reads one share of the files. */
      readonly share: number;
      readonly shares: number;
    };
/** Anything but `lines` is the last word on a task. */
export type WorkerReport =
  | {
      readonly kind: 'lines';
      readonly path: string;
      readonly lines: readonly number[];
    }
  | {
      readonly kind: 'scanned';
      readonly files: number;
    }
  | {
      readonly kind: 'judged';
      readonly indices: readonly number[];
    };
interface IgnoreEngine {
  readonly parseRules: typeof parseRules;
  readonly isIgnoredBy: typeof isIgnoredBy;
}
/** Does task after task, until the thread is ended. */
export declare function startSearchWorker(ignoring: IgnoreEngine): void;
/** What a worker is made of, besides the functions of `ignore-globs.ts`. */
export declare const SEARCH_WORKER_SOURCE: string;
