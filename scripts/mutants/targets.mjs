/**
 * The safety core: the sources whose mutants must not survive, and the tests that are to find them, quick ones first.
 * A test that takes long, or that starts the built product, is left out; another one has to prove the promise. `skip`: tests
 * that race against another process until everything was seen that can happen, which with a mutant may be never.
 * `leaveOut`: most of `replace-file.ts` is about power cuts, which no test here has.
 */
export const TARGETS = [
  {
    sources: [
      'packages/server/src/guard.ts',
      'packages/server/src/token.ts',
      'packages/server/src/redact.ts',
    ],
    tests: inFolder('packages/server/src', 'token', 'redact', 'guard', 'raw-requests', 'paths'),
  },
  {
    sources: ['packages/core/src/bmad/entry-rules.ts', 'packages/core/src/bmad/open-archive.ts'],
    tests: inFolder('packages/core/src/bmad', 'entry-rules', 'read-archive', 'open-archive'),
  },
  {
    sources: [
      'packages/core/src/workflow/transition.ts',
      'packages/core/src/workflow/state-changes.ts',
      'packages/core/src/tools/state-gate.ts',
      'packages/core/src/tools/state-errors.ts',
    ],
    tests: [
      'packages/core/src/workflow/transition.test.ts',
      ...inFolder(
        'packages/core/src/tools',
        'state-gate-limits',
        'state-gate-facts',
        'state-gate',
        'fs-write',
        'state-crash',
      ),
    ],
  },
  {
    sources: ['packages/core/src/mounts/'],
    leaveOut: /replace-file/,
    skip: / swapped for | 600 folders deep/,
    tests: inFolder(
      'packages/core/src/mounts',
      'secret-files',
      'mount-path',
      'file-identity',
      'read-only',
      'folder-walk',
      'move-entry',
      'visit-tree',
      'mounted-folder-facts',
      'mounted-file-facts',
      'mounted-tree-facts',
      'mounted-fs',
      'mounted-tree',
      'watch-folder',
      'open-descriptors',
    ),
  },
  {
    sources: ['packages/core/src/store/disk/journal.ts'],
    skip: / killed at any moment/,
    tests: inFolder('packages/core/src/store', 'journal-edges', 'journal', 'undo', 'journal-and-tools'),
  },
];

function inFolder(folder, ...names) {
  return names.map((name) => `${folder}/${name}.test.ts`);
}
