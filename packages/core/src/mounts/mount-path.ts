/**
 * Parses and normalises paths as models and users write them (`@project/docs/a.md`). Pure. A MountPath has no `.`, `..`
 * or empty segments and no invisible characters. Links are not resolved here.
 */
import { hasInvisible, toPlainText } from '@crewagent/protocol/plain-text';
import { segmentDanger } from '../base/file-names.ts';
import { expandTemplate } from './path-template.ts';

export const MOUNTS = ['@project', '@pkg', '@state'] as const;
export type MountName = (typeof MOUNTS)[number];

export interface MountPath {
  readonly mount: MountName;
  /** Empty for the mount itself. */
  readonly segments: readonly string[];
}

/** The state document of a run. */
export const STATE_DOCUMENT: MountPath = { mount: '@state', segments: ['workflow.md'] };

export type ParsedMountPath =
  | { readonly ok: true; readonly path: MountPath }
  | { readonly ok: false; readonly reason: string };

const MAX_LENGTH = 4_096;
const EXPECTED = 'use a path that begins with @project/, @pkg/ or @state/';

/** Never trims or repairs the path, so that the checked path is the opened one. The reason is a complete sentence. */
export function parseMountPath(text: string, artifactsDir = 'artifacts'): ParsedMountPath {
  const refuse = (why: string): ParsedMountPath => ({
    ok: false,
    reason: `The path "${toPlainText(text).slice(0, 120)}" ${why}; ${EXPECTED}.`,
  });
  if (text.length > MAX_LENGTH) return refuse('is too long');
  if (hasInvisible(text)) return refuse('contains control or invisible characters');
  if (text.includes('\\')) return refuse('contains a backslash');
  const expanded = expandTemplate(text, artifactsDir);
  if (expanded === undefined) return refuse('has an unknown or misplaced {template}');
  if (expanded.startsWith('/')) return refuse('is absolute');
  if (/^~/.test(expanded)) return refuse('refers to a home folder');
  if (/^[A-Za-z]:/.test(expanded)) return refuse('begins with a drive letter');
  if (expanded.includes('://')) return refuse('is an address, not a file');

  const [head = '', ...rest] = complete(expanded).split('/');
  if (!isMountName(head)) return refuse(`names "${head.slice(0, 40)}", which is not a mount`);
  const segments: string[] = [];
  for (const segment of rest) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') {
      if (segments.pop() === undefined) return refuse(`leads out of ${head}`);
      continue;
    }
    const danger = process.platform === 'win32' ? windowsDanger(segment) : undefined;
    if (danger) return refuse(danger);
    segments.push(segment);
  }
  return { ok: true, path: { mount: head, segments } };
}

export function formatMountPath({ mount, segments }: MountPath): string {
  return [mount, ...segments].join('/');
}

/** A recorded path is used as it is: mount, folders, file name. */
export function toProjectPath(path: string): MountPath {
  const [mount, ...segments] = path.split('/');
  if (mount !== '@project' || segments.length === 0) throw new Error('only project files have a journal');
  return { mount, segments };
}

/** Adds the mount to a bare relative path. */
function complete(text: string): string {
  if (text.startsWith('@')) return text;
  const bare = text.replace(/^(?:\.\/+)+/, '');
  if (bare === 'workflow.md') return '@state/workflow.md';
  if (/^(?:steps|assets)\//.test(bare)) return `@pkg/${bare}`;
  return `@project/${bare}`;
}

function isMountName(text: string): text is MountName {
  return (MOUNTS as readonly string[]).includes(text);
}

function windowsDanger(segment: string): string | undefined {
  return /[<>:"|?*]/.test(segment) ? 'cannot exist on Windows' : segmentDanger(segment);
}
