/**
 * Which project files a run may use without asking, as its author declared: `writes` and `rights` of workflow.md, `rights` of a
 * step. Declarations only add questions; they allow nothing that the person does not. Pure.
 */
import { isFileAction } from '@crewagent/protocol/described-actions';
import type { NodeProof } from '@crewagent/protocol/proof';
import { isRead } from '@crewagent/protocol/tool-effects';
import type { DescribedAction, FileFact, Undeclared } from '@crewagent/protocol/tools';
import type { PathVariables } from '../mounts/path-template.ts';
import { toWildcards } from './proof/baseline.ts';
import { fillGlob, toFullPattern } from './proof/proof-files.ts';
import { type Glob, matchesGlob, parseGlob } from './search/ignore-globs.ts';

export interface FileRights {
  /** What is declared for the current node. */
  now(): Promise<DeclaredFiles>;
}

export interface DeclaredFiles {
  /** Why a person is asked before a file or folder is used, given by its full mount path; undefined if it is declared. */
  findUndeclared(access: Undeclared['access'], path: string): Undeclared | undefined;
}

export interface DeclaringNode {
  readonly id: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly proof?: NodeProof | undefined;
  readonly rights?: 'declared' | undefined;
}

export interface DeclaringWorkflow {
  readonly writes?: readonly string[] | undefined;
  readonly rights?: 'declared' | undefined;
  readonly nodes: ReadonlyMap<string, DeclaringNode>;
}

interface Position {
  readonly nodeId: string | undefined;
  readonly variables: PathVariables;
  /** Files that a person gave to the run. */
  readonly given: readonly string[];
}

/** `isDemanded`: the person allows a node only the files that it declares, whatever the author says. */
export function createFileRights(
  workflow: DeclaringWorkflow,
  artifactsDir: string,
  position: () => Promise<Position>,
  isDemanded: () => Promise<boolean>,
): FileRights {
  const { writes, rights, nodes } = workflow;
  const all = [...nodes.values()];
  const isDeclaring = writes !== undefined || rights !== undefined || all.some((node) => node.rights);
  return {
    async now() {
      const isByPreset = await isDemanded();
      if (!isByPreset && !isDeclaring) return EVERYTHING;
      const { nodeId, variables, given } = await position();
      const node = nodeId === undefined ? undefined : nodes.get(nodeId);
      const toGlobs = (patterns: readonly string[]): Glob[] =>
        patterns.flatMap((pattern) => {
          const full = toFullPattern(toWildcards(fillGlob(pattern, variables)), artifactsDir);
          const glob = full === undefined ? undefined : parseGlob(full);
          return glob ? [glob] : [];
        });
      const own = node ? [node] : [];
      const scope = isByPreset
        ? { by: 'preset' as const, nodes: own, writes: [] }
        : node?.rights
          ? { by: 'step' as const, nodes: own, writes: [] }
          : rights && { by: 'workflow' as const, nodes: all, writes: writes ?? [] };
      // For the person who decides: as the author wrote it, with the values of this run.
      const shownOf = (access: Undeclared['access']): string[] =>
        [
          ...new Set(
            own.flatMap((each) =>
              access === 'write' ? outputsOf(each) : [...inputsOf(each), ...outputsOf(each)],
            ),
          ),
        ].map((pattern) => fillGlob(pattern, variables));
      const written = scope && toGlobs([...scope.nodes.flatMap(outputsOf), ...scope.writes]);
      const read = written && [...written, ...toGlobs([...scope.nodes.flatMap(inputsOf), ...given])];
      const allowed = writes && toGlobs(writes);
      return {
        findUndeclared(access, path) {
          if (!path.startsWith('@project') && access !== 'program') return undefined;
          if (access === 'write' && allowed && !isIn(allowed, path))
            return { by: 'writes', access, globs: [...(writes ?? [])] };
          if (!scope) return undefined;
          const isDeclared = access !== 'program' && isIn((access === 'read' ? read : written) ?? [], path);
          if (isDeclared) return undefined;
          return { by: scope.by, access, ...(isByPreset ? { globs: shownOf(access) } : {}) };
        },
      };
    },
  };
}

const EVERYTHING: DeclaredFiles = { findUndeclared: () => undefined };

/** Why a person is asked about an action under every preset. */
export function findUndeclared(
  declared: DeclaredFiles,
  action: DescribedAction,
  files: readonly FileFact[],
): Undeclared | undefined {
  if (action.effect === 'state') return undefined;
  if (isRead({ kind: action.effect })) return declared.findUndeclared('read', action.target);
  if (!isFileAction(action)) return declared.findUndeclared('program', action.target);
  const found = files.map(({ path }) => declared.findUndeclared('write', path));
  return found.find((one) => one !== undefined);
}

/** A folder is declared if everything in it is. */
function isIn(globs: readonly Glob[], path: string): boolean {
  return globs.some((glob) => matchesGlob(glob, path) || matchesGlob(glob, `${path}/any/file`));
}

function outputsOf({ outputs, proof }: DeclaringNode): string[] {
  return [...outputs, ...(proof?.produces ?? []).map(({ path }) => path)];
}

function inputsOf({ inputs, proof }: DeclaringNode): string[] {
  return [...inputs, ...(proof?.consumes ?? []).map(({ path }) => path)];
}
