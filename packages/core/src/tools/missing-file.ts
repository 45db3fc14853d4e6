/**
 * The answer to a path that leads nowhere: the nearest names, or a folder that is there, so that the model need not guess.
 */
import { toPlainText } from '@crewagent/protocol/plain-text';
import type { ToolFailure } from '@crewagent/protocol/tools';
import { formatMountPath, type MountPath } from '../mounts/mount-path.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import { failure } from './tool.ts';

/** `tried`: every location that was checked, at least one. */
export async function toMissingFailure(
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
    return failure(
      'ENOENT',
      `There is no file or folder "${shown}"${checked}. Nearest: ${names.join(', ')}.`,
    );
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

export function toNames(paths: readonly MountPath[]): string {
  return paths.map((path) => `"${formatMountPath(path)}"`).join(', ');
}
