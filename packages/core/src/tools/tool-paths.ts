/**
 * Paths in the arguments of tools: variables of the run filled in, relative ones looked for beside the current step first.
 * Answers with the mount path, or with a failure that says what would be understood.
 */
import { toPlainText } from '@crewagent/protocol/plain-text';
import type { ToolFailure } from '@crewagent/protocol/tools';
import { formatMountPath, type MountPath, parseMountPath } from '../mounts/mount-path.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import { fillableNames, fillVariables, type PathVariables, unfilledNames } from '../mounts/path-template.ts';
import {
  findReadable,
  isThere,
  type PathScope,
  packageFolders,
  resolvePath,
} from '../mounts/resolve-path.ts';
import { readFrontmatter } from '../workflow/frontmatter.ts';
import { effectiveNode } from '../workflow/transition.ts';
import { DamagedState, type StateGate } from './state-gate.ts';
import { answer, failure } from './tool.ts';
import type { EffectFacts, ToolAnswer, ToolCallContext } from './tool-source.ts';

/** Where the files of a package are, seen from a node. */
export interface PackageFolders {
  readonly workflowFolder?: string | undefined;
  /** The step of a node, as a path inside the package. */
  stepOf?(nodeId: string): string | undefined;
}

export interface ToolPathSources {
  readonly files: MountedFs;
  readonly artifactsDir: string;
  readonly gate?: StateGate | undefined;
  /** Undefined without a package: then braces are plain text and relative paths mean the project. */
  readonly places?: PackageFolders | undefined;
}

type Call = Pick<ToolCallContext, 'decidedAt'>;

export type FoundPath =
  | { readonly path: MountPath; readonly failure?: undefined }
  /** With the path that the text means by itself, where it is one. */
  | { readonly failure: ToolFailure; readonly path?: MountPath };

export interface ToolPaths {
  /** A file, or with `isFolder` a folder too, that is to be read. */
  find(text: string, call: Call, options?: { readonly isFolder?: boolean }): Promise<FoundPath>;
  /** A file that is to be written. */
  target(text: string, call: Call): Promise<MountPath | ToolFailure>;
}

export function createToolPaths({ files, artifactsDir, gate, places }: ToolPathSources): ToolPaths {
  const scopeOf = async (text: string, { decidedAt }: Call): Promise<PathScope> => {
    if (!places) return { artifactsDir };
    if (text.startsWith('@') && !text.includes('{')) return { artifactsDir, folders: [], variables: {} };
    const run = gate && (await readRun(gate));
    const nodeId = decidedAt || run?.nodeId;
    const step = nodeId === undefined ? undefined : places.stepOf?.(nodeId);
    const folders = packageFolders(step, places.workflowFolder);
    const variables = run?.variables ?? {};
    const isFilled = unfilledNames(fillVariables(text, variables)).length === 0;
    const keys = isFilled || step === undefined ? {} : await readKeys(step, files);
    return { artifactsDir, folders, variables: { ...keys, ...variables } };
  };

  return {
    async find(written, call, options) {
      const text = withoutSlip(written);
      const { found, missing } = await findReadable(text, await scopeOf(text, call), files, options);
      if (!found.ok) return { failure: failure('E_SANDBOX_VIOLATION', found.reason, { reason: 'path' }) };
      const { path } = found;
      return missing.length > 1 ? { path, failure: notFound(text, missing) } : { path };
    },
    async target(written, call) {
      const text = withoutSlip(written);
      const scope = await scopeOf(text, call);
      const resolved = resolvePath(text, scope);
      if (!resolved.ok) return failure('E_SANDBOX_VIOLATION', resolved.reason, { reason: 'path' });
      const unknown = scope.variables ? unfilledNames(fillVariables(text, scope.variables)) : [];
      // A file may bear braces in its name; a new one by such a name is a variable that nobody filled.
      if (unknown.length === 0 || (await isThere(resolved.path, files))) return resolved.path;
      return unknownNames(text, unknown, scope.variables ?? {});
    },
  };
}

/** The answer of a reading tool where there is nothing to read. */
export function answerMissing({ failure: result, path }: FoundPath, effect: EffectFacts = {}): ToolAnswer {
  if (!result) throw new Error('there is something to read');
  return answer(result, path ? { ...effect, path: formatMountPath(path) } : effect);
}

/** A blank before a mount is a slip of the pen, not a folder of that name. */
function withoutSlip(text: string): string {
  return /^\s+@/.test(text) ? text.trimStart() : text;
}

async function readRun(gate: StateGate): Promise<{ nodeId: string; variables: PathVariables } | undefined> {
  try {
    const { state } = await gate.read();
    return { nodeId: effectiveNode(state, gate.graph), variables: state.variables };
  } catch (error) {
    if (error instanceof DamagedState) return undefined;
    throw error;
  }
}

/** More than any frontmatter has. */
const MAX_STEP_BYTES = 262_144;

/** The keys of a step's own frontmatter (`outputFile`, `nextStepFile`), which its text names in braces. */
async function readKeys(step: string, files: MountedFs): Promise<PathVariables> {
  const parsed = parseMountPath(`@pkg/${step}`);
  if (!parsed.ok || !(await isThere(parsed.path, files))) return {};
  const text = await files.withFile(parsed.path, async ({ handle, bytes }) =>
    bytes > MAX_STEP_BYTES ? '' : (await handle.readFile()).toString('utf8'),
  );
  const frontmatter = await readFrontmatter(text);
  return frontmatter.ok ? frontmatter.value : {};
}

const MAX_NAMED = 30;

function unknownNames(text: string, unknown: readonly string[], variables: PathVariables): ToolFailure {
  const known = fillableNames(variables).slice(0, MAX_NAMED);
  const names = unknown.map((name) => `{${name}}`).join(', ');
  const advice =
    known.length === 0
      ? 'no variable is set here; write the path out'
      : `known are ${known.map((name) => `{${name}}`).join(', ')}; use one of these, or write the path out`;
  return failure(
    'TOOL_ARGS_INVALID',
    `The path "${toPlainText(text).slice(0, 120)}" contains ${names}, which has no value, so nothing was written: ${advice}.`,
    { unknown: [...unknown], known },
  );
}

function notFound(text: string, missing: readonly MountPath[]): ToolFailure {
  const places = missing.map((path) => `"${formatMountPath(path)}"`).join(', ');
  return failure(
    'ENOENT',
    `There is no file or folder "${toPlainText(text).slice(0, 120)}": looked for ${places}; list a folder with fs.list.`,
  );
}
