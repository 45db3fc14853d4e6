/**
 * Another program swaps links, permissions, contents and folders at every await between the question and the commit. What is
 * written is what was approved, where it was approved, or nothing.
 */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { DescribedAction } from '@crewagent/protocol/tools';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stagingName } from '../base/staging.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import { buildToolRig, type ToolRigOptions } from '../testing/rigs/build-tool-rig.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import type { ToolSource } from './tool-source.ts';

const TREE: Readonly<Record<string, string>> = {
  'notes/a.txt': 'old\n',
  'other/a.txt': 'other\n',
  'package.json': '{}\n',
  '.husky/pre-commit': 'hook\n',
  '.github/workflows/a.txt': 'workflow\n',
};
const APPROVED = 'approved\n';
/** A file that was there before, and one that was not. */
const TARGETS = ['notes/a.txt', 'notes/new.txt'] as const;

const link = (to: string) => (project: string, path: string) => {
  rmSync(join(project, path), { force: true, recursive: true });
  symlinkSync(to, join(project, path));
};
const linkFolder = (to: string) => (project: string) => {
  renameSync(join(project, 'notes'), join(project, `notes-${readdirSync(project).length}`));
  symlinkSync(to, join(project, 'notes'));
};
const SWAPS: readonly ((project: string, path: string) => void)[] = [
  link('../.husky/pre-commit'),
  link('../package.json'),
  link('../other/a.txt'),
  link('nowhere'),
  linkFolder('.github/workflows'),
  linkFolder('other'),
  (project, path) => chmodSync(join(project, path), 0o755),
  (project, path) => chmodSync(join(project, path), 0o600),
  (project, path) => writeFileSync(join(project, path), 'new\n'),
  (project, path) => writeFileSync(join(project, path), 'longer than before\n'),
  (project, path) => rmSync(join(project, path), { force: true }),
  (project, path) => {
    const content = readFileSync(join(project, path));
    rmSync(join(project, path));
    writeFileSync(join(project, path), content);
  },
  (project, path) => {
    rmSync(join(project, path), { force: true });
    mkdirSync(join(project, path));
  },
];

interface Scenario {
  readonly target: (typeof TARGETS)[number];
  readonly swaps: readonly { readonly point: number; readonly swap: number }[];
}

/** How often a write gives other programs a chance. */
const LAST_POINT = 8;

const scenarios: fc.Arbitrary<Scenario> = fc.record({
  target: fc.constantFrom(...TARGETS),
  swaps: fc.array(fc.record({ point: fc.nat(LAST_POINT), swap: fc.nat(SWAPS.length - 1) }), {
    minLength: 2,
    maxLength: 3,
  }),
});

type Breaks = (
  approved: () => DescribedAction | undefined,
) => Pick<ToolRigOptions, 'wrapFiles' | 'wrapSource'>;

/** Every swap at every point, one at a time. */
const SINGLE: readonly Scenario[] = TARGETS.flatMap((target) =>
  Array.from({ length: LAST_POINT + 1 }, (_, point) => point).flatMap((point) =>
    SWAPS.map((_, swap) => ({ target, swaps: [{ point, swap }] })),
  ),
);

/** Several swaps: a fixed number of cases, however long they take. */
const CASES = 100;

/** The first scenario after which something else than the approved change is on disk. */
async function findViolation(breaks?: Breaks): Promise<Scenario | undefined> {
  for (const scenario of [...SINGLE, ...fc.sample(scenarios, CASES)])
    if (!(await isHarmless(scenario, breaks))) return scenario;
  return undefined;
}

/** Approves a write, executes it among swaps, and checks the folder. */
async function isHarmless({ target, swaps }: Scenario, breaks?: Breaks): Promise<boolean> {
  let point = Number.NaN;
  let project = '';
  const swapNow = (): void => {
    for (const { swap } of swaps.filter((one) => one.point === point)) {
      try {
        SWAPS[swap]?.(project, target);
      } catch {
        // An earlier swap left nothing to change.
      }
    }
    point++;
  };
  let approved: DescribedAction | undefined;
  const broken = breaks?.(() => approved);
  const rig = await buildToolRig(await tempFolder(), {
    policy: { approval: 'ask' },
    project: TREE,
    wrapFiles: (files) => withSwaps(broken?.wrapFiles?.(files) ?? files, swapNow),
    ...(broken?.wrapSource ? { wrapSource: broken.wrapSource } : {}),
    recorder: async () => ({
      async begin() {
        swapNow();
        return {
          tempName: stagingName('writing'),
          done: async () => undefined,
          abandon: async () => undefined,
        };
      },
    }),
  });
  project = rig.project;
  const args = { path: target, content: APPROVED };
  const asked = await rig.outcome('fs.write', args);
  if (asked.kind !== 'approval') throw new Error('it asks');
  approved = asked.action;
  point = 0;
  swapNow();
  await rig.outcome('fs.write', args, { approval: { isGranted: true, action: approved } });
  expect(rig.bugs).toEqual([]);
  return isAsApproved(project, target, approved);
}

it('[T100] writes what was approved, where it was approved, or nothing, whatever changes meanwhile', async () => {
  expect(await findViolation()).toBeUndefined();
}, 120_000);

it('[T100] depends on the comparison of facts, and on the one at the commit', async () => {
  const anyFacts: Breaks = (approved) => ({ wrapSource: (source) => claiming(source, approved) });
  const anyFile: Breaks = () => ({
    wrapFiles: (files) => ({
      ...files,
      replace: (path, content, { tempName }) => files.replace(path, content, { tempName }),
    }),
  });
  expect(await findViolation(anyFacts)).toBeDefined();
  expect(await findViolation(anyFile)).toBeDefined();
}, 120_000);

function withSwaps(files: MountedFs, swap: () => void): MountedFs {
  const around = async <T>(work: () => Promise<T>): Promise<T> => {
    swap();
    try {
      return await work();
    } finally {
      swap();
    }
  };
  return {
    ...files,
    // The state document is opened for each read, which gives the others more chances.
    identityOf: () => undefined,
    resolve(path, access) {
      swap();
      return files.resolve(path, access);
    },
    withFile: (path, use) => around(() => files.withFile(path, (file) => around(() => use(file)))),
    async replace(path, content, options) {
      swap();
      const replaced = files.replace(path, content, options);
      // The new content is being written to the temp file.
      swap();
      return replaced;
    },
  };
}

/** A source that claims to do what was approved, so that the comparison of facts always passes. */
function claiming(source: ToolSource, approved: () => DescribedAction | undefined): ToolSource {
  return {
    ...source,
    async run(call, context) {
      const reply = await source.run(call, context);
      const action = approved();
      if (reply.kind !== 'action' || !action) return reply;
      return { ...reply, prepared: { ...reply.prepared, action, files: action.files ?? [] } };
    },
  };
}

function isAsApproved(project: string, target: string, { files = [] }: DescribedAction): boolean {
  const mode = files[0]?.before.mode;
  return readEntries(project).every(([path, entry]) => {
    if (entry.content === APPROVED)
      return path === target && !entry.isLink && (mode === undefined || entry.mode === mode);
    // Swaps also write through links, and copy what they lead to.
    return (
      entry.isLink ||
      path.startsWith('notes') ||
      [...Object.values(TREE), 'new\n', 'longer than before\n'].includes(entry.content)
    );
  });
}

interface Entry {
  readonly isLink: boolean;
  readonly mode: number;
  readonly content: string;
}

function readEntries(project: string): [string, Entry][] {
  return readdirSync(project, { recursive: true, encoding: 'utf8' }).flatMap((path) => {
    const stats = lstatSync(join(project, path));
    if (stats.isDirectory()) return [];
    const isLink = stats.isSymbolicLink();
    const content = isLink ? readlinkSync(join(project, path)) : readFileSync(join(project, path), 'utf8');
    return [[path, { isLink, mode: stats.mode & 0o777, content }]];
  });
}
