/**
 * Changes of a program as one action that a person approves: a diff of all files, what was installed, and the facts that consent is
 * bound to.
 */
import type { AskedChange } from '@crewagent/protocol/held-changes';
import type { DescribedAction, FileFact } from '@crewagent/protocol/tools';
import { sha256Of } from '../../base/sha256.ts';
import type { ExactEntry } from '../../mounts/exact-entries.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import type { Patch } from '../files/unified-diff.ts';
import { findInstallation } from './classify-changes.ts';

const MAX_READ_BYTES = 32 * 1_048_576;

interface Read {
  readonly asked: AskedChange;
  readonly before: ExactEntry | undefined;
  readonly after: ExactEntry | undefined;
}

export async function describeChanges(
  tool: string,
  changes: readonly AskedChange[],
  { files, contents }: { readonly files: MountedFs; readonly contents: MountedFs },
): Promise<{ readonly action: DescribedAction; readonly files: readonly FileFact[] }> {
  // Loaded lazily: the diff module is large, and few programs change protected files.
  const { patchOf } = await import('../files/unified-diff.ts');
  const texts: string[] = [];
  const facts: FileFact[] = [];
  const installed: InstalledChange[] = [];
  const hashes = new Map<string, string[]>();
  for (const asked of changes) {
    const { path, isRemoved } = asked;
    const target = { mount: '@project', segments: path.split('/') } as const;
    const limit = { maxBytes: MAX_READ_BYTES };
    const before = await files.exact.read(target, limit);
    const after = isRemoved ? undefined : await contents.exact.read(target, limit);
    const root = findInstallation(path)?.root;
    if (root === undefined) {
      texts.push(toText({ asked, before, after }, patchOf));
      facts.push(toFact({ asked, before, after }));
    } else {
      installed.push({ path, before, after });
      const line = JSON.stringify([path, toFact({ asked, before, after })]);
      const known = hashes.get(root) ?? [];
      known.push(sha256Of(Buffer.from(line)));
      hashes.set(root, known);
    }
  }
  for (const { root, files: count, packages, programs } of describeInstallations(installed)) {
    const path = `@project/${root}`;
    const lines = [...packages, ...programs.map((program) => `program ${program}`)];
    texts.push(
      `--- ${path}\n+++ ${path}\n@@ ${count} files of installed packages @@\n${lines.map((line) => `+${line}\n`).join('')}`,
    );
    const sha256 = sha256Of(Buffer.from((hashes.get(root) ?? []).join('\n')));
    facts.push({ path, before: { kind: 'folder' }, after: { kind: 'folder', sha256 }, runsLater: 'build' });
  }
  const [only] = facts;
  const isOne = facts.length === 1 && only !== undefined;
  return {
    action: {
      title: isOne
        ? `${tool} wants to keep its change of ${only.path}`
        : `${tool} wants to keep its changes of ${facts.length} protected files and folders`,
      target: isOne ? only.path : '@project',
      effect: 'external',
      preview: { kind: 'diff', text: texts.join('\n') },
      isOnceOnly: true,
    },
    files: facts,
  };
}

function toFact({ asked, before, after }: Read): FileFact {
  return {
    path: `@project/${asked.path}`,
    before: before
      ? { ...describe(before), identity: `${before.identity.device}:${before.identity.inode}` }
      : { kind: 'absent' },
    after: after ? describe(after) : { kind: 'absent' },
    runsLater: asked.runsLater,
  };
}

function describe({ kind, mode, content, identity }: ExactEntry): FileFact['after'] {
  if (kind === 'folder' || kind === 'special') return { kind: 'folder', mode };
  // The content of a very large file is not read: its identity stands for it.
  const sha256 = content
    ? sha256Of(content)
    : sha256Of(Buffer.from(`${identity.inode} ${identity.size} ${identity.changedNs}`));
  return { kind, sha256, mode: kind === 'link' ? undefined : mode };
}

/** A patch with what a patch of two texts does not say: links, folders, permissions. */
function toText(
  { asked, before, after }: Read,
  patchOf: (path: string, before: Buffer | undefined, after: Buffer | undefined) => Patch,
): string {
  const path = `@project/${asked.path}`;
  const [old, now] = [modeOf(before), modeOf(after)];
  const modes = [
    ...(old !== undefined && now !== undefined && old !== now ? [`old mode ${old}`, `new mode ${now}`] : []),
    ...(old === undefined && now !== undefined ? [`new file mode ${now}`] : []),
    ...(old !== undefined && now === undefined ? [`deleted file mode ${old}`] : []),
  ].map((line) => `${line}\n`);
  const [from, to] = [textOf(before), textOf(after)];
  const patch = patchOf(path, from, to);
  const body = patch.ok
    ? patch.text
    : `--- ${path}\n+++ ${path}\n@@ ${patch.reason === 'binary' ? 'binary' : 'large'} file @@\n${sizes('-', from)}${sizes('+', to)}`;
  return `${modes.join('')}${body}`;
}

function modeOf(entry: ExactEntry | undefined): string | undefined {
  if (!entry) return undefined;
  const kind = { file: '100', link: '120', folder: '040', special: '000' }[entry.kind];
  return `${kind}${(entry.kind === 'link' ? 0 : entry.mode).toString(8).padStart(3, '0')}`;
}

function textOf(entry: ExactEntry | undefined): Buffer | undefined {
  return entry && (entry.content ?? Buffer.alloc(0));
}

function sizes(sign: string, content: Buffer | undefined): string {
  return content ? `${sign}${content.length} bytes, sha256 ${sha256Of(content)}\n` : '';
}

/** A change in a folder of installed packages. */
interface InstalledChange {
  readonly path: string;
  readonly before: ExactEntry | undefined;
  readonly after: ExactEntry | undefined;
}

/** For each folder with installed packages: lines such as `added left-pad 1.3.0`, and the files that can be run. */
function describeInstallations(changes: readonly InstalledChange[]) {
  const byRoot = new Map<string, InstalledChange[]>();
  for (const change of changes) {
    const root = findInstallation(change.path)?.root;
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
