/**
 * The safety-critical sources whose mutants must not survive, and the tests that should kill them, fast ones first.
 * Slow tests, and tests that start the built product, are excluded. `skip`: tests that race against another process until all
 * outcomes were seen, which may never happen with a mutant.
 * `leaveOut`: code that these tests cannot cover, such as behaviour after power cuts.
 */
export const TARGETS = [
  {
    sources: [
      'packages/server/src/security/guard.ts',
      'packages/server/src/security/token.ts',
      'packages/server/src/security/redact.ts',
    ],
    tests: [
      ...inFolder('packages/server/src/security', 'token', 'redact', 'guard'),
      ...inFolder('packages/server/src', 'raw-requests', 'paths'),
    ],
  },
  {
    sources: [
      'packages/core/src/bmad/archive/entry-rules.ts',
      'packages/core/src/bmad/archive/open-archive.ts',
    ],
    tests: [
      ...inFolder('packages/core/src/bmad/archive', 'entry-rules', 'list-entries', 'open-archive'),
      'packages/core/src/bmad/read-archive.test.ts',
    ],
  },
  {
    sources: [
      'packages/core/src/workflow/transition.ts',
      'packages/core/src/workflow/state-changes.ts',
      'packages/core/src/tools/state/state-gate.ts',
      'packages/core/src/tools/state/state-file.ts',
      'packages/core/src/tools/state/validate-change.ts',
      'packages/core/src/tools/state/node-outputs.ts',
    ],
    tests: [
      'packages/core/src/workflow/transition.test.ts',
      ...inFolder('packages/core/src/tools/state', 'state-gate-limits', 'state-gate-facts', 'state-gate'),
      'packages/core/src/tools/files/fs-write.test.ts',
      ...inFolder('packages/core/src/tools', 'state-gate-calls', 'state-crash'),
    ],
  },
  {
    sources: ['packages/core/src/tools/consent.ts', 'packages/core/src/tools/tool-policy.ts'],
    tests: [
      ...inFolder('packages/core/src/tools', 'consent', 'tool-source', 'tool-host', 'read-only-files'),
      'packages/core/src/tools/files/files-that-run.test.ts',
    ],
  },
  {
    sources: ['packages/core/src/mounts/'],
    leaveOut: /replace-file/,
    skip: / swapped for | 600 folders deep/,
    tests: inFolder(
      'packages/core/src/mounts',
      'sensitive/secret-files',
      'sensitive/runs-later',
      'sensitive/hard-links',
      'sensitive/hidden-values',
      'mount-path',
      'resolve-path',
      'file-identity',
      'versioned-text',
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
    sources: ['packages/core/src/store/work-files/journal.ts'],
    skip: / after a kill at any time/,
    tests: inFolder(
      'packages/core/src/store/work-files',
      'journal-edges',
      'journal',
      'undo',
      'journal-and-tools',
    ),
  },
];

function inFolder(folder, ...names) {
  return names.map((name) => `${folder}/${name}.test.ts`);
}
