/**
 * What a searcher is. It only names lines that are worth a second look: it walks a tree that may change under it, so
 * nothing it has read is ever shown. Text for the answer is read anew through the mounts and judged again.
 */
export interface LineQuery {
  readonly text: string;
  readonly isRegex: boolean;
  readonly caseSensitive: boolean;
}
export interface TreeSearch {
  readonly query: LineQuery;
  /** The mount's folder, in a form that this process can open. */
  readonly rootPath: string;
  /** The file or folder to search, relative to the root with `/`; empty for the root itself. */
  readonly start: string;
  /** Lines as in a `.gitignore` at the root. Any `.gitignore` at or below `start` is stronger. */
  readonly rules: readonly string[];
  /** Folders never entered, whatever the rules say. */
  readonly skippedNames: readonly string[];
  readonly includeHidden: boolean;
  readonly maxLinesPerFile: number;
}
export type Finding =
  | {
      readonly kind: 'lines';
      readonly path: string;
      readonly lines: readonly number[];
    }
  | {
      readonly kind: 'scanned';
      readonly files: number;
    };
export interface LineFinder {
  /** Lines that seem to match, file by file, in no order. Ends early when the signal fires; leaves nothing running. */
  find(search: TreeSearch, signal: AbortSignal): AsyncGenerator<Finding>;
  /** For each line the column of its first match (from 1, in UTF-16 units), or undefined. Empty-handed after an abort. */
  judge(
    lines: readonly string[],
    query: LineQuery,
    signal: AbortSignal,
  ): Promise<readonly (number | undefined)[]>;
}
/** The pattern cannot be used; `message` is the engine's own words. */
export declare class InvalidPattern extends Error {}
/** Larger files are data, not text to look through. */
export declare const MAX_SEARCHED_BYTES: number;
/** Plain text is judged alike whoever found it. */
export declare function judgePlain(lines: readonly string[], query: LineQuery): (number | undefined)[];
export declare function escapeRegExp(text: string): string;
export declare function toColumn(index: number): number | undefined;
