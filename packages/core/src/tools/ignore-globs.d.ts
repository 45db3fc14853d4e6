/**
 * Globs and rules as in `.gitignore` files: `*`, `?`, `[a-z]`, `{a,b}` and `**`, matched in time linear in the path, so
 * that no pattern can stall a search. Pure. These functions also run in a worker that is given their source, so they
 * use nothing but each other, and all of them are listed in `IGNORE_GLOB_SOURCE`.
 */
type Token =
  | {
      readonly kind: 'character';
      readonly character: string;
    }
  | {
      readonly kind: 'class';
      readonly pattern: RegExp;
    }
  /** `*`, `**` as a whole part before a slash, `**` as the last part: these may stand for nothing. */
  | {
      readonly kind: 'star' | 'folders' | 'everything';
    };
/** One list of tokens for each way to choose from its braces. */
export type Glob = readonly (readonly Token[])[];
export interface IgnoreRule {
  readonly glob: Glob;
  readonly isNegated: boolean;
  readonly foldersOnly: boolean;
  /** Without a slash a rule is about the last part of a path, wherever it is. */
  readonly namesOnly: boolean;
}
/** What cannot be understood is no rule. */
export declare function parseRules(lines: readonly string[]): IgnoreRule[];
/** What the last rule that fits says of a path: ignore it (true), keep it (false), nothing (undefined). */
export declare function isIgnoredBy(
  rules: readonly IgnoreRule[],
  path: string,
  isFolder: boolean,
): boolean | undefined;
export declare function matchesGlob(glob: Glob, path: string): boolean;
/** Undefined when brackets or braces do not close, or offer too many ways. */
export declare function parseGlob(text: string): Glob | undefined;
/** What a worker needs of this file. */
export declare const IGNORE_GLOB_SOURCE: string;
