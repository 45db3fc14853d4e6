/**
 * Resolves paths written by models, menus, steps and users. A path to write has one meaning; a path to read may be
 * relative to a step or name an installed BMAD folder, and is looked up in a fixed order. Permissions are checked when
 * the file is opened.
 */
import { posix } from 'node:path';
import { errnoOf } from '../base/errno.ts';
import { formatMountPath, type MountPath, type ParsedMountPath, parseMountPath } from './mount-path.ts';
import type { MountedFs } from './mounted-fs.ts';
import { expandTemplate, fillVariables, type PathVariables } from './path-template.ts';
import { SandboxViolation } from './sandbox-violation.ts';

export interface PathScope {
  readonly artifactsDir?: string | undefined;
  /** Values for braces; without them braces are literal. */
  readonly variables?: PathVariables | undefined;
  /** Folders of the package for relative paths, in order; undefined without a package. */
  readonly folders?: readonly string[] | undefined;
}

/** Folder of the step, folder of its workflow, package root, `assets`. */
export function packageFolders(stepFile?: string, workflowFolder?: string): string[] {
  const beside = stepFile === undefined ? [] : [posix.dirname(stepFile)];
  const around = workflowFolder === undefined ? [] : [workflowFolder];
  return [...new Set([...beside, ...around, ...ROOT_FOLDERS])];
}

const ROOT_FOLDERS = ['.', 'assets'] as const;

/** The only meaning of a path to write. */
export function resolvePath(text: string, { artifactsDir, variables = {} }: PathScope = {}): ParsedMountPath {
  return parseMountPath(fillVariables(text, variables), artifactsDir);
}

export interface ReadablePath {
  /** Candidates, in order of preference. */
  readonly paths: readonly MountPath[];
  /** Literal meaning of the text, as for a path to write. */
  readonly asWritten: ParsedMountPath;
}

export function resolveReadable(text: string, scope: PathScope = {}): ReadablePath {
  const { artifactsDir = 'artifacts', variables = {}, folders } = scope;
  const filled = fillVariables(text, variables);
  const asWritten = parseMountPath(filled, artifactsDir);
  const own = asWritten.ok ? [asWritten.path] : [];
  if (!folders) return { paths: own, asWritten };
  const expanded = expandTemplate(filled, artifactsDir) ?? filled;
  const isSearched = !/^(?:[@/~]|[A-Za-z]:)/.test(expanded) && !isFixed(expanded, artifactsDir);
  const inPackage = isSearched ? folders.flatMap((folder) => toPackagePath(folder, expanded)) : [];
  return { paths: unique([...inPackage, ...own, ...own.flatMap(toInstalledPaths)]), asWritten };
}

export interface FoundPath {
  /** The first candidate that exists, otherwise the literal path. */
  readonly found: ParsedMountPath;
  /** Candidates that do not exist. */
  readonly missing: readonly MountPath[];
}

/** `isFolder`: the project's folder comes first, because listing and searching explore the project. */
export async function findReadable(
  text: string,
  scope: PathScope,
  files: MountedFs,
  { isFolder = false } = {},
): Promise<FoundPath> {
  const { paths, asWritten } = resolveReadable(text, scope);
  const ordered = isFolder && asWritten.ok ? unique([asWritten.path, ...paths]) : paths;
  if (ordered.length === 1 && asWritten.ok) return { found: asWritten, missing: [] };
  for (const path of ordered)
    if (await exists(path, files)) return { found: { ok: true, path }, missing: [] };
  return { found: asWritten, missing: ordered };
}

/** The first mount path that exists, otherwise the first. */
export async function findFirst(
  texts: readonly [string, ...string[]],
  files: MountedFs,
): Promise<ParsedMountPath> {
  const paths = texts.map((text) => parseMountPath(text));
  for (const parsed of paths) if (parsed.ok && (await exists(parsed.path, files))) return parsed;
  return parseMountPath(texts[0]);
}

/** False only if there is no such file: other errors are left to the actual access. */
export async function exists(path: MountPath, files: MountedFs): Promise<boolean> {
  try {
    await files.withFile(path, () => Promise.resolve());
    return true;
  } catch (error) {
    const code = errnoOf(error);
    if (code === undefined && !(error instanceof SandboxViolation)) throw error;
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}

/** Paths with one meaning: the state document, a mount, artifacts of the run. */
function isFixed(text: string, artifactsDir: string): boolean {
  const bare = text.replace(/^(?:\.\/+)+/, '');
  return ['', '.', 'workflow.md', artifactsDir].includes(bare) || bare.startsWith(`${artifactsDir}/`);
}

/** The package root has no parent: `../templates/x` of a step at the root means `templates/x`. */
function toPackagePath(folder: string, text: string): MountPath[] {
  const isRoot = (ROOT_FOLDERS as readonly string[]).includes(folder);
  const below = isRoot ? text.replace(/^(?:\.\.?\/+)+/, '') : text;
  if (isRoot && below.startsWith(`${folder}/`)) return [];
  const parsed = parseMountPath(`@pkg/${folder}/${below}`);
  return parsed.ok && parsed.path.segments.length > 0 ? [parsed.path] : [];
}

/**
 * BMAD installs modules as `_bmad/<module>/…` into a project; a package contains the same files with or without that
 * prefix.
 */
function toInstalledPaths({ mount, segments }: MountPath): MountPath[] {
  if (mount !== '@project' || segments[0] !== '_bmad') return [];
  // A bare name is ambiguous: `config.yaml` of a module is not that of the package.
  const shortest = Math.min(2, segments.length - 2);
  return [0, 1, 2]
    .filter((cut) => cut <= shortest)
    .map((cut) => ({ mount: '@pkg', segments: segments.slice(cut) }));
}

function unique(paths: readonly MountPath[]): MountPath[] {
  return [...new Map(paths.map((path) => [formatMountPath(path), path])).values()];
}
