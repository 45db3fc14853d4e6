/**
 * Resolves paths in tool arguments: fills in variables of the run and looks for relative paths beside the current step
 * first. Returns a mount path, or a failure that says which paths are valid.
 */
import { posix } from 'node:path';
import { isObject } from '@crewagent/protocol/json-object';
import { toPlainText } from '@crewagent/protocol/plain-text';
import type { ToolFailure } from '@crewagent/protocol/tools';
import { formatMountPath, type MountPath, parseMountPath } from '../mounts/mount-path.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import { fillableNames, fillVariables, type PathVariables, unfilledNames } from '../mounts/path-template.ts';
import { exists, findReadable, type PathScope, packageFolders, resolvePath } from '../mounts/resolve-path.ts';
import { readFrontmatter } from '../workflow/frontmatter.ts';
import { effectiveNode } from '../workflow/transition.ts';
import { pathValuesOf } from '../workflow/workflow-state.ts';
import { DamagedState } from './state/state-file.ts';
import type { StateGate } from './state/state-gate.ts';
import { answer, failure, type ResultAnswer } from './tool.ts';
import type { EffectFacts, ToolCallContext } from './tool-source.ts';

/** Folders of a package, for resolving relative paths. */
export interface PackageLayout {
  readonly workflowFolder?: string | undefined;
  /** Step file of a node, as a path inside the package. */
  stepOf?(nodeId: string): string | undefined;
}

interface ToolPathSources {
  readonly files: MountedFs;
  readonly artifactsDir: string;
  readonly gate?: StateGate | undefined;
  /** Without a package, braces are literal and relative paths refer to the project. */
  readonly packageLayout?: PackageLayout | undefined;
}

type Call = Pick<ToolCallContext, 'decidedAt'>;

type FoundPath =
  | { readonly path: MountPath; readonly failure?: undefined }
  /** `path`: the literal path, if the text is a valid path. */
  | { readonly failure: ToolFailure; readonly path?: MountPath };

export interface ToolPaths {
  /** Resolves a file to read, or with `isFolder` also a folder. */
  find(text: string, call: Call, options?: { readonly isFolder?: boolean }): Promise<FoundPath>;
  /** Resolves a file to write. */
  target(text: string, call: Call): Promise<MountPath | ToolFailure>;
}

export function createToolPaths({ files, artifactsDir, gate, packageLayout }: ToolPathSources): ToolPaths {
  const scopeOf = async (text: string, { decidedAt }: Call): Promise<PathScope> => {
    if (!packageLayout) return { artifactsDir };
    if (text.startsWith('@') && !text.includes('{')) return { artifactsDir, folders: [], variables: {} };
    const run = gate && (await readRun(gate));
    const nodeId = decidedAt || run?.nodeId;
    const step = nodeId === undefined ? undefined : packageLayout.stepOf?.(nodeId);
    const folders = packageFolders(step, packageLayout.workflowFolder);
    const variables = run?.variables ?? {};
    const isFilled = unfilledNames(fillVariables(text, variables)).length === 0;
    const keys = isFilled || step === undefined ? {} : await readStepKeys(step, files);
    return { artifactsDir, folders, variables: { ...keys, ...variables } };
  };

  /** The file of the package for a path of the source that it was imported from. */
  const findMoved = async (text: string, { decidedAt }: Call): Promise<MountPath | undefined> => {
    if (!packageLayout) return undefined;
    const nodeId = decidedAt || (gate && (await readRun(gate))?.nodeId);
    const step = nodeId === undefined ? undefined : packageLayout.stepOf?.(nodeId);
    const { workflowFolder } = packageLayout;
    const documents = [
      step,
      workflowFolder === undefined ? undefined : posix.join(workflowFolder, 'workflow.md'),
    ];
    for (const document of documents) {
      const { references } = document === undefined ? {} : await readStepKeys(document, files);
      const target = isObject(references) ? findReference(references, text) : undefined;
      const parsed = target === undefined ? undefined : parseMountPath(target);
      if (parsed?.ok && parsed.path.mount === '@pkg' && (await exists(parsed.path, files)))
        return parsed.path;
    }
    return undefined;
  };

  return {
    async find(raw, call, options) {
      const text = trimBeforeMount(raw);
      const { found, missing } = await findReadable(text, await scopeOf(text, call), files, options);
      const isThere = found.ok && missing.length === 0 && (await exists(found.path, files));
      const moved = isThere ? undefined : await findMoved(text, call);
      if (moved) return { path: moved };
      if (!found.ok) {
        const tried =
          missing.length === 0 ? '' : ` It is not in the package either (tried ${toNames(missing)}).`;
        return { failure: failure('E_SANDBOX_VIOLATION', `${found.reason}${tried}`, { reason: 'path' }) };
      }
      const { path } = found;
      if (isThere) return { path };
      const tried = missing.length > 0 ? missing : [path];
      return { path, failure: await toMissingFailure(text, tried, files) };
    },
    async target(raw, call) {
      const text = trimBeforeMount(raw);
      const scope = await scopeOf(text, call);
      const resolved = resolvePath(text, scope);
      if (!resolved.ok) return failure('E_SANDBOX_VIOLATION', resolved.reason, { reason: 'path' });
      const unknown = scope.variables ? unfilledNames(fillVariables(text, scope.variables)) : [];
      // A file name may contain braces; in a new file they are an unfilled variable.
      if (unknown.length === 0 || (await exists(resolved.path, files))) return resolved.path;
      return unknownVariables(text, unknown, scope.variables ?? {});
    },
  };
}

/** `references` of an imported text: a path as its author wrote it → a path of the package. */
function findReference(references: Readonly<Record<string, unknown>>, text: string): string | undefined {
  const toPlain = (path: string): string =>
    path.replace(/^(?:\{project-root\}|@project)\/+/, '').replace(/^\.\//, '');
  const [, target] = Object.entries(references).find(([written]) => toPlain(written) === toPlain(text)) ?? [];
  return typeof target === 'string' ? target : undefined;
}

/** Answer of a read tool for a path that was not found. */
export function answerMissing({ failure: result, path }: FoundPath, effect: EffectFacts = {}): ResultAnswer {
  if (!result) throw new Error('the path was found');
  return answer(result, path ? { ...effect, path: formatMountPath(path) } : effect);
}

/** White space before a mount is a typo, not part of the path. */
function trimBeforeMount(text: string): string {
  return /^\s+@/.test(text) ? text.trimStart() : text;
}

async function readRun(gate: StateGate): Promise<{ nodeId: string; variables: PathVariables } | undefined> {
  try {
    const { state } = await gate.read();
    return { nodeId: effectiveNode(state, gate.graph), variables: pathValuesOf(state) };
  } catch (error) {
    if (error instanceof DamagedState) return undefined;
    throw error;
  }
}

/** Larger than any frontmatter. */
const MAX_STEP_BYTES = 262_144;

/** Keys of a step's frontmatter (`outputFile`, `nextStepFile`), which its text references in braces. */
async function readStepKeys(step: string, files: MountedFs): Promise<PathVariables> {
  const parsed = parseMountPath(`@pkg/${step}`);
  if (!parsed.ok || !(await exists(parsed.path, files))) return {};
  const text = await files.withFile(parsed.path, async ({ handle, bytes }) =>
    bytes > MAX_STEP_BYTES ? '' : (await handle.readFile()).toString('utf8'),
  );
  const frontmatter = await readFrontmatter(text);
  return frontmatter.ok ? frontmatter.value : {};
}

const MAX_NAMED = 30;

/** Keys of a step that no path is made of. */
const FORMAT_KEYS: ReadonlySet<string> = new Set(['schemaVersion', 'nodeId', 'type', 'title', 'description']);

function unknownVariables(text: string, unknown: readonly string[], variables: PathVariables): ToolFailure {
  const known = fillableNames(variables)
    .filter((name) => !FORMAT_KEYS.has(name))
    .slice(0, MAX_NAMED);
  const names = unknown.map((name) => `{${name}}`).join(', ');
  const advice =
    known.length === 0
      ? 'no variable is set here; write the full path'
      : `known variables are ${known.map((name) => `{${name}}`).join(', ')}; use one of these, or write the full path and set the variable when you complete the node`;
  return failure(
    'TOOL_ARGS_INVALID',
    `The path "${toPlainText(text).slice(0, 120)}" contains ${names}, which has no value, so nothing was written: ${advice}.`,
    { unknown: [...unknown], known },
  );
}

/** The nearest names, or a folder that is there, so that the model need not guess. `tried`: all locations that were checked. */
async function toMissingFailure(
  text: string,
  tried: readonly MountPath[],
  files: MountedFs,
): Promise<ToolFailure> {
  const shown = toPlainText(text).slice(0, 120);
  const checked = tried.length > 1 ? ` (tried ${toNames(tried)})` : '';
  const wanted = tried[0]?.segments.at(-1) ?? '';
  const folders = await Promise.all(tried.map((path) => nearestFolder(path, files)));
  const isOnlyPackage = tried.every(({ mount }) => mount === '@pkg');
  const near = new Set<string>();
  for (const [index, { folder, paths }] of folders.entries())
    if (folder.mount !== '@state')
      for (const path of paths) if (isNear(path, wanted) && tried[index]) near.add(formatMountPath(path));
  if (near.size > 0) {
    const names = [...near].slice(0, MAX_NAMES).map((name) => `"${name}"`);
    const nearest = `Nearest: ${names.join(', ')}.`;
    return failure('ENOENT', `There is no file or folder "${shown}"${checked}. ${nearest}`);
  }
  if (isOnlyPackage)
    return failure(
      'ENOENT',
      `The package does not have this file: "${shown}"${checked}. Do this part without it and tell the user.`,
    );
  const project = folders.find(({ folder }) => folder.mount !== '@pkg')?.folder;
  const where = project ? ` The nearest folder is "${formatMountPath(project)}"; list it with fs.list.` : '';
  return failure('ENOENT', `There is no file or folder "${shown}"${checked}.${where}`);
}

const MAX_NAMES = 5;
const MAX_ENTRIES = 500;

/** The deepest folder of the path that exists, with the paths of what is in it; in a package, of all its files. */
async function nearestFolder(
  { mount, segments }: MountPath,
  files: MountedFs,
): Promise<{ readonly folder: MountPath; readonly paths: readonly MountPath[] }> {
  for (let length = segments.length - 1; length >= 0; length--) {
    const folder = { mount, segments: segments.slice(0, length) };
    const paths = await listNames(folder, files, mount === '@pkg');
    if (paths) return { folder: mount === '@pkg' ? { mount, segments: [] } : folder, paths };
  }
  return { folder: { mount, segments: [] }, paths: [] };
}

async function listNames(
  folder: MountPath,
  files: MountedFs,
  isDeep: boolean,
): Promise<readonly MountPath[] | undefined> {
  const found: MountPath[] = [];
  const open: MountPath[] = [isDeep ? { ...folder, segments: [] } : folder];
  try {
    for (let next = open.shift(); next && found.length < MAX_ENTRIES; next = open.shift()) {
      for await (const batch of files.entries(next)) {
        for (const { name, kind } of batch) {
          const path = { ...next, segments: [...next.segments, name] };
          if (name.startsWith('.')) continue;
          found.push(path);
          if (isDeep && kind === 'folder') open.push(path);
        }
        if (found.length >= MAX_ENTRIES) break;
      }
    }
    return found;
  } catch {
    return undefined;
  }
}

/** The same name but for case, separators and extension, or a part of it. */
function isNear({ segments }: MountPath, wanted: string): boolean {
  const [name, other] = [toKey(segments.at(-1) ?? ''), toKey(wanted)];
  if (name === '' || other === '') return false;
  const [short, long] = name.length < other.length ? [name, other] : [other, name];
  return name === other || (short.length >= 4 && long.includes(short));
}

function toKey(name: string): string {
  return name
    .replace(/\.\w{1,5}$/, '')
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .toLowerCase();
}

function toNames(paths: readonly MountPath[]): string {
  return paths.map((path) => `"${formatMountPath(path)}"`).join(', ');
}
