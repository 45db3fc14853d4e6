/**
 * Resolves the fields of a menu item: `workflow`, `exec`, `data`, `action`. Each resolves to a reference or to an error value.
 * Pure: does not check whether a file exists.
 */
import {
  type ActionRef,
  BUILTIN_ACTIONS,
  type BuiltinAction,
  type CommandError,
  type CommandErrorCode,
  type DataFormat,
  type DataRef,
  type ExecRef,
  PERSONAL_ACTIONS,
  type WorkflowRef,
} from '@crewagent/protocol/commands';
import { formatMountPath, type MountPath, parseMountPath } from '../mounts/mount-path.ts';
import { expandTemplate } from '../mounts/path-template.ts';
import { packageFolders, resolveReadable } from '../mounts/resolve-path.ts';
import { toShown } from './folded-text.ts';
import { type MenuTarget, textOf } from './menu.ts';

export interface RefScope {
  /** Every workflow file of the package, including the entry workflow. */
  readonly workflows: readonly KnownWorkflow[];
  /** Prompts of the agent whose menu it is. */
  readonly promptIds: ReadonlySet<string>;
  readonly artifactsDir: string;
}

export interface KnownWorkflow {
  /** The id in `bmad.json.workflows[]`, if it is listed. */
  readonly id?: string;
  /** Path of its workflow.md, from the root of the package. */
  readonly path: string;
  /** The title shown to people. */
  readonly title?: string;
}

export type Resolved<Ref> =
  | { readonly ok: true; readonly ref: Ref }
  | { readonly ok: false; readonly error: CommandError };

/** Tries an id of the package, then the path of a `.md` file, else reports an unknown id. */
export function resolveWorkflowRef(text: string, scope: RefScope): Resolved<WorkflowRef> {
  if (scope.workflows.some(({ id }) => id === text))
    return { ok: true, ref: { type: 'workflowId', workflowId: text } };
  if (isClassic(text)) return rejectClassic(text);
  if (!/\.md$/i.test(text)) return fail('UnknownWorkflow', unknownWorkflow(text, scope));
  const parsed = parsePath(text, scope);
  if (!parsed.ok) return parsed;
  const path = findKnownPath(parsed.ref, scope);
  if (path === undefined) return fail('UnknownWorkflow', unknownWorkflow(text, scope));
  return { ok: true, ref: { type: 'packagePath', workflowMdPath: path } };
}

/** A script, unless the file is a workflow by its name or in the package. */
export function resolveExecRef(text: string, scope: RefScope): Resolved<ExecRef> {
  if (isClassic(text)) return rejectClassic(text);
  const parsed = parsePath(text, scope);
  if (!parsed.ok) return parsed;
  const path = findKnownPath(parsed.ref, scope);
  if (path !== undefined) return { ok: true, ref: { type: 'workflowMd', workflowMdPath: path } };
  const [first, ...others] = parsed.ref;
  if (first.segments.at(-1) === 'workflow.md') return fail('UnknownWorkflow', unknownWorkflow(text, scope));
  return {
    ok: true,
    ref: { type: 'markdown', mdPath: formatMountPath(first), otherwise: toOtherwise(others) },
  };
}

/** The workflow that `workflow` or `exec` of an item starts. */
export function findTargetWorkflow(target: MenuTarget, scope: RefScope): KnownWorkflow | undefined {
  const [workflow, exec] = [textOf(target, 'workflow'), textOf(target, 'exec')];
  if (workflow === '' && exec === '') return undefined;
  const found = workflow ? resolveWorkflowRef(workflow, scope) : resolveExecRef(exec, scope);
  if (!found.ok || found.ref.type === 'markdown') return undefined;
  const { ref } = found;
  return scope.workflows.find(({ id, path }) =>
    ref.type === 'workflowId' ? id === ref.workflowId : path === ref.workflowMdPath,
  );
}

const FORMATS: Readonly<Record<string, DataFormat>> = {
  json: 'json',
  yaml: 'yaml',
  yml: 'yaml',
  csv: 'csv',
  xml: 'xml',
};

export function resolveDataRef(text: string, scope: RefScope): Resolved<DataRef> {
  const parsed = parsePath(text, scope);
  if (!parsed.ok) return parsed;
  const [first, ...others] = parsed.ref;
  const [, extension = ''] = /\.([a-z]+)$/i.exec(first.segments.at(-1) ?? '') ?? [];
  const format = extension.toLowerCase();
  const parseAs = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  const path = formatMountPath(first);
  return {
    ok: true,
    ref: { type: 'path', path, otherwise: toOtherwise(others), parseAs: parseAs ?? 'text' },
  };
}

/** `#id` is a prompt of the agent, a registered name a built-in action, anything else a prompt for the model. */
export function resolveActionRef(text: string, { promptIds }: RefScope): Resolved<ActionRef> {
  if (text.startsWith('#')) {
    const id = text.slice(1);
    return promptIds.has(id)
      ? { ok: true, ref: { type: 'promptId', id } }
      : fail(
          'UnknownPromptId',
          `The agent has no prompt "${toShown(id)}". Add it to the package's agents.json.`,
        );
  }
  if (!isBuiltin(text)) return { ok: true, ref: { type: 'inline', text } };
  if (!PERSONAL_ACTIONS.has(text)) return { ok: true, ref: { type: 'builtin', name: text } };
  return fail('PermissionDenied', `A menu cannot run "${text}". Type the command yourself.`);
}

type Paths = readonly [MountPath, ...MountPath[]];

/** Candidate paths of a file; a relative path starts at the root of the package. */
function parsePath(text: string, { artifactsDir }: RefScope): Resolved<Paths> {
  const asWritten = parseMountPath(text, artifactsDir);
  const expanded = expandTemplate(text, artifactsDir) ?? text;
  const parsed =
    asWritten.ok && !expanded.startsWith('@') ? parseMountPath(`@pkg/${expanded}`, artifactsDir) : asWritten;
  if (!parsed.ok) return fail('PermissionDenied', parsed.reason);
  const first = formatMountPath(parsed.path);
  const { paths } = resolveReadable(text, { artifactsDir, folders: packageFolders() });
  return { ok: true, ref: [parsed.path, ...paths.filter((path) => formatMountPath(path) !== first)] };
}

function toOtherwise(paths: readonly MountPath[]): readonly string[] | undefined {
  return paths.length === 0 ? undefined : paths.map(formatMountPath);
}

function findKnownPath(paths: Paths, { workflows }: RefScope): string | undefined {
  return paths
    .filter(({ mount }) => mount === '@pkg')
    .map(({ segments }) => segments.join('/'))
    .find((path) => workflows.some((workflow) => workflow.path === path));
}

function isClassic(text: string): boolean {
  return /\.(?:ya?ml|xml)$/i.test(text);
}

function isBuiltin(text: string): text is BuiltinAction {
  return (BUILTIN_ACTIONS as readonly string[]).includes(text);
}

function rejectClassic(text: string): Resolved<never> {
  return fail(
    'NotSupportedClassicWorkflow',
    `"${toShown(text)}" is a classic BMAD file, which is not supported. Only workflows with a workflow.md and a graph can be started.`,
  );
}

function unknownWorkflow(text: string, { workflows }: RefScope): string {
  const known = workflows.slice(0, 20).map(({ id, path }) => toShown(id ?? path));
  return `The package has no workflow "${toShown(text)}"; it has ${known.join(', ') || 'none'}.`;
}

function fail(code: CommandErrorCode, message: string): Resolved<never> {
  return { ok: false, error: { code, message } };
}
