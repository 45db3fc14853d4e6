/**
 * Interface of the line finders. A finder returns line numbers of candidates only: it walks a tree that may change
 * meanwhile, so its text is never shown. Candidate lines are read again through the mounts and matched again.
 */
export interface LineQuery {
  readonly text: string;
  readonly isRegex: boolean;
  readonly caseSensitive: boolean;
}

export interface TreeSearch {
  readonly query: LineQuery;
  /** Path of the mount's folder that this process can open. */
  readonly rootPath: string;
  /** File or folder to search, relative to the root, with `/`; empty for the root. */
  readonly start: string;
  /** `.gitignore` lines that apply at the root. A `.gitignore` at or below `start` takes precedence. */
  readonly rules: readonly string[];
  /** Names of folders that are never entered, whatever the rules. */
  readonly skippedNames: readonly string[];
  readonly includeHidden: boolean;
  readonly maxLinesPerFile: number;
}

export type FinderResult =
  | { readonly kind: 'lines'; readonly path: string; readonly lines: readonly number[] }
  | { readonly kind: 'scanned'; readonly files: number };

export interface LineFinder {
  /** Candidate lines by file, unordered. Ends early on abort and leaves nothing running. */
  find(search: TreeSearch, signal: AbortSignal): AsyncGenerator<FinderResult>;
  /**
   * For each line the column of its first match (1-based, in UTF-16 units), or undefined. Returns an empty list after
   * an abort.
   */
  matchLines(
    lines: readonly string[],
    query: LineQuery,
    signal: AbortSignal,
  ): Promise<readonly (number | undefined)[]>;
}

/** Thrown for an invalid pattern; `message` comes from the regex engine. */
export class InvalidPattern extends Error {}

/** Larger files are skipped. */
export const MAX_SEARCHED_BYTES = 16 * 1024 * 1024;
