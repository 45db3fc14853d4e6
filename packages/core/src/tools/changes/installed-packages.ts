/**
 * Folders in which package managers install: what a program changed there is shown as packages and programs, not file by file.
 * Pure.
 */
/** Names of folders, with the parent where the name alone says too little. */
const FOLDERS: readonly (readonly string[])[] = [
  ['node_modules'],
  ['bower_components'],
  ['jspm_packages'],
  ['.venv'],
  ['venv'],
  ['.tox'],
  ['.nox'],
  ['vendor', 'bundle'],
  ['Pods'],
  ['target', 'debug'],
  ['target', 'release'],
];

/** Caches of tools in there. They hold code, and are made again: they are not worth a question. */
const CACHES = /^(?:\.cache|\.vite|\.vite-temp|\.vitest|\.tmp|\.package-lock\.json\.tmp)$/;

export type InstalledPath = { readonly root: string; readonly isCache: boolean } | undefined;

/** The outermost folder of installed packages around a path. */
export function findInstallation(segments: readonly string[]): InstalledPath {
  for (let end = 1; end <= segments.length; end++) {
    const folder = FOLDERS.find((names) =>
      names.every((name, at) => segments[end - names.length + at] === name),
    );
    if (folder) return { root: segments.slice(0, end).join('/'), isCache: CACHES.test(segments[end] ?? '') };
  }
  return undefined;
}

/** A change in such a folder. */
export interface InstalledChange {
  readonly path: string;
  readonly before: InstalledEntry | undefined;
  readonly after: InstalledEntry | undefined;
}

interface InstalledEntry {
  readonly kind: string;
  readonly mode: number;
}

export interface Installation {
  readonly root: string;
  readonly files: number;
  /** Lines for people, such as `added left-pad 1.3.0`. */
  readonly packages: readonly string[];
  /** Files that can be run. */
  readonly programs: readonly string[];
}

/** One description for each folder with installed packages. */
export function describeInstallations(changes: readonly InstalledChange[]): Installation[] {
  const byRoot = new Map<string, InstalledChange[]>();
  for (const change of changes) {
    const root = findInstallation(change.path.split('/'))?.root;
    if (root === undefined) continue;
    const inside = byRoot.get(root) ?? [];
    inside.push(change);
    byRoot.set(root, inside);
  }
  return [...byRoot].map(([root, inside]) => ({
    root,
    files: inside.filter(({ before, after }) => (after ?? before)?.kind !== 'folder').length,
    packages: toPackages(root, inside),
    programs: inside.filter(isProgram).map((change) => `${verbOf(change)} ${change.path}`),
  }));
}

function toPackages(root: string, changes: readonly InstalledChange[]): string[] {
  const verbs = new Map<string, Set<string>>();
  for (const change of changes) {
    const [name, isOwnManifest] = packageOf(change.path.slice(root.length + 1));
    if (name === undefined) continue;
    const known = verbs.get(name) ?? new Set<string>();
    known.add(isOwnManifest ? `!${verbOf(change)}` : verbOf(change));
    verbs.set(name, known);
  }
  return [...verbs].map(([name, all]) => {
    // What happened to its manifest happened to the package.
    const own = ['added', 'removed'].find((verb) => all.has(`!${verb}`));
    return `${own ?? 'changed'} ${name}`;
  });
}

/** Name of the package, and whether the file is its manifest. */
function packageOf(path: string): readonly [string | undefined, boolean] {
  const inner = path.split('/node_modules/').at(-1) ?? path;
  const python = /^lib(?:64)?\/python[^/]*\/site-packages\/([^/]+)(\/METADATA)?/.exec(inner);
  if (python) return [python[1]?.replace(/\.dist-info$/, ''), python[2] !== undefined];
  const [first = '', second = '', third] = inner.split('/');
  if (first.startsWith('.') || second === '') return [undefined, false];
  const isScoped = first.startsWith('@');
  const manifest = isScoped ? third : second;
  return [isScoped ? `${first}/${second}` : first, manifest === 'package.json'];
}

function isProgram({ path, before, after }: InstalledChange): boolean {
  const entry = after ?? before;
  if (!entry || entry.kind === 'folder') return false;
  const isExecutable = entry.kind === 'file' && (entry.mode & 0o111) !== 0;
  return isExecutable || /(?:^|\/)(?:\.bin|bin|Scripts)\/[^/]+$/.test(path);
}

function verbOf({ before, after }: InstalledChange): string {
  return after ? (before ? 'changed' : 'added') : 'removed';
}
