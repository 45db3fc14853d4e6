/**
 * Files that a program executes or follows later without the user opening them. The user is shown what executes the file
 * before it is written. Names are in sensitive-files.json; settings may add patterns. Other files are recognised by their
 * mode and content.
 */
import type { RunsLater } from '@crewagent/protocol/tools';
import { type ExistsInProject, isGitFolder } from './git-folder.ts';
import { createPathPatterns, type PathPatterns } from './path-patterns.ts';
import { findRunnerByContent } from './runs-by-content.ts';
import data from './sensitive-files.json';

export interface ProjectFile {
  readonly segments: readonly string[];
  /** Mode of the file once it is written; a new file of a tool has none. */
  readonly mode?: number | undefined;
  readonly content?: Uint8Array | undefined;
  /** Recognises a git folder under another name. */
  readonly exists?: ExistsInProject | undefined;
}

export type FindRunner = (file: ProjectFile) => RunsLater | undefined;

/** What would execute a project file, by the lists of the product. */
export const findRunner: FindRunner = createRunnerCheck();

/** `extraPatterns`: file names with `*` as wildcard, from the settings. */
export function createRunnerCheck(extraPatterns: readonly string[] = []): FindRunner {
  const extra = extraPatterns.length === 0 ? undefined : createPathPatterns([extraPatterns]);
  return ({ segments, mode = 0, content, exists }) => {
    if (isGitFolder(segments, exists)) return 'hook';
    const byName = classOf(segments);
    if (byName) return byName;
    if (extra?.find(segments) !== undefined) return 'listed';
    if ((mode & EXECUTABLE) !== 0) return 'executable';
    return content && findRunnerByContent(segments, content);
  };
}

const EXECUTABLE = 0o111;
/** Built on first use: most commands write no file. */
let listed: PathPatterns | undefined;

function classOf(segments: readonly string[]): RunsLater | undefined {
  listed ??= createPathPatterns(data.runsLater.map(({ files }) => files));
  const list = listed.find(segments);
  // The test of the data file checks the names of its classes.
  return list === undefined ? undefined : (data.runsLater[list]?.class as RunsLater | undefined);
}
