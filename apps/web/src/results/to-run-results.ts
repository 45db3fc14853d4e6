/** The files of a run as its closing card lists them: each once, as a result or as a file of the person. Pure. */
import type { JournalEntry } from '@crewagent/protocol/journal';
import { chooseMainResult } from '@crewagent/protocol/main-result';
import type { Story } from '@crewagent/protocol/story/story';
import { PROJECT } from '../files/paths.ts';
import { type Artifact, toArtifacts } from '../run/to-artifacts.ts';

export interface RunFile {
  /** A mount path of the project. */
  readonly path: string;
  /** Undefined if the journal has no change of it, such as a file that a command wrote. */
  readonly artifact: Artifact | undefined;
}

export type RunResults = ReturnType<typeof toRunResults>;

/** `changes`: of the run and of the runs that it called, in chronological order. */
export function toRunResults(
  view: Pick<Readonly<Story>, 'workflow' | 'state'>,
  changes: readonly JournalEntry[],
) {
  const listed = toPaths(view.state.artifacts);
  const touched = new Map(toArtifacts(changes).map((artifact) => [artifact.path, artifact]));
  const unjournaled = listed.filter((path) => !touched.has(path));
  const lastFirst = [...new Set(changes.map(({ path }) => path).reverse())];
  const files = [...lastFirst, ...unjournaled].map(
    (path): RunFile => ({ path, artifact: touched.get(path) }),
  );
  const isResult = ({ path, artifact }: RunFile): boolean =>
    listed.includes(path) || artifact?.changes[0]?.kind === 'created';
  const results = files.filter((file) => isResult(file) && file.artifact?.kind !== 'deleted');
  const yours = files.filter((file) => !isResult(file));
  const written = (some: readonly RunFile[]): readonly string[] =>
    pathsOf(some.filter(({ artifact }) => artifact?.isThere ?? true));
  const main = chooseMainResult(view, written(results.length > 0 ? results : yours).toReversed());
  return { results: withFirst(results, chooseMainResult(view, pathsOf(results).toReversed())), yours, main };
}

function pathsOf(files: readonly RunFile[]): readonly string[] {
  return files.map(({ path }) => path);
}

/** The main result comes first, also when it was undone: a row under the pointer does not move. The others stay in their order. */
function withFirst(files: readonly RunFile[], first: string | undefined): readonly RunFile[] {
  return [...files.filter(({ path }) => path === first), ...files.filter(({ path }) => path !== first)];
}

/** Artifacts of the state document as mount paths, last written first. */
function toPaths(artifacts: readonly string[]): readonly string[] {
  const paths = artifacts.map((path) => (path.startsWith('@') ? path : `${PROJECT}/${path}`));
  return [...new Set(paths)].filter((path) => path.startsWith(`${PROJECT}/`)).reverse();
}

/** Files whose changes stand. */
export function countStanding(files: readonly RunFile[]): number {
  return files.filter(({ artifact }) => artifact?.kind !== 'undone').length;
}
