import { type MountPath } from '../mounts/mount-path.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import type { IsSecret } from '../mounts/secret-files.ts';
import { type LineFinder, type LineQuery } from './line-finder.ts';
import { type SearchFilter } from './search-filter.ts';
export interface Match {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}
export interface MatchSearch {
  readonly query: LineQuery;
  /** A file or folder, links resolved. */
  readonly start: MountPath;
  readonly filter: SearchFilter;
  readonly before: number;
  readonly after: number;
  readonly maxMatches: number;
  /** Ends the search; what was found until then counts. */
  readonly signal: AbortSignal;
  /** Ends everything. */
  readonly abort: AbortSignal;
}
export interface MatchSource {
  readonly files: MountedFs;
  readonly isSecret: IsSecret;
  readonly finder: LineFinder;
}
/** At most `maxMatches`, in no order, and how many files were looked through if that is known. */
export declare function collectMatches(
  { files, isSecret, finder }: MatchSource,
  { query, start, filter, before, after, maxMatches, signal, abort }: MatchSearch,
): Promise<{
  matches: Match[];
  filesScanned?: number;
}>;
