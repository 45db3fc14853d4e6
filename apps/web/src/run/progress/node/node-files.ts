/**
 * The files of a node as mount paths of the project: variables and templates are resolved as in the runtime. Pure.
 */
import type { NodeProgress } from '../to-progress.ts';

export interface NodeFile {
  /** Display name. */
  readonly name: string;
  /** Undefined if the file is not in the project: in the package, in the state, or with an unset variable. */
  readonly path: string | undefined;
}

export type FileUse = 'inputs' | 'outputs';

/** Each value is a key of the texts. */
export type FileStanding = 'isThere' | 'isMissing' | 'isAhead' | 'isNotNeeded';

/** A file counts as missing only if the node has started and needs it, or is done and should have created it. */
export function standingOf(isThere: boolean, use: FileUse, progress: NodeProgress): FileStanding {
  if (isThere) return 'isThere';
  if (progress === 'notNeeded') return 'isNotNeeded';
  const isAhead = progress === 'ahead' || (progress === 'current' && use === 'outputs');
  return isAhead ? 'isAhead' : 'isMissing';
}

export function toNodeFile(written: string, variables: Readonly<Record<string, unknown>>): NodeFile {
  const filled = fillVariables(written, variables);
  const path = toProjectPath(filled);
  return { name: path?.slice('@project/'.length) ?? filled, path };
}

function fillVariables(path: string, variables: Readonly<Record<string, unknown>>): string {
  return path.replace(/\{([A-Za-z_][\w-]*)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : whole;
  });
}

const TEMPLATES: Readonly<Record<string, string>> = {
  '{project-root}': '@project',
  '{artifacts-root}': '@project/artifacts',
};

function toProjectPath(filled: string): string | undefined {
  const [template] = /^\{[a-z-]*root\}(?=\/|$)/.exec(filled) ?? [];
  const root = template === undefined ? '' : TEMPLATES[template];
  if (root === undefined) return undefined;
  const text = template === undefined ? filled : root + filled.slice(template.length);
  const bare = text.replace(/^(?:\.\/+)+/, '');
  if (bare === '' || bare === 'workflow.md' || NOT_HERE.test(bare)) return undefined;
  const whole = bare.startsWith('@') ? bare : `@project/${bare}`;
  const parts = whole.split('/').filter((part) => part !== '' && part !== '.');
  if (parts[0] !== '@project' || parts.length < 2 || parts.includes('..')) return undefined;
  return parts.join('/');
}

/** In the package, absolute, in the home folder, on a drive, a URL, or with an unresolved variable. */
const NOT_HERE = /^(?:steps|assets)\/|^[/~]|^[A-Za-z]:|:\/\/|\\|\{[A-Za-z_][\w-]*\}/;
